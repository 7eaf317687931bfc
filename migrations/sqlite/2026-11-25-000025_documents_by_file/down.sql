DROP INDEX documents_of_content;
DROP INDEX documents_of_name;
