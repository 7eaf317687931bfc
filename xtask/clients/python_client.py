"""One round through the API with the package that openapi-python-client makes."""

import io
import os
import sys
import zipfile
from pathlib import Path

from external_bot_management_api_client import AuthenticatedClient
from external_bot_management_api_client.api.bot import (
    create_bot,
    delete_bot_of_project,
    get_bot,
    list_bots,
    update_bot_of_project,
)
from external_bot_management_api_client.api.fusion_view import (
    create_fusion_view_of_project,
    upload_fusion_package_of_project,
)
from external_bot_management_api_client.api.key_value_entry import get_keyval_entry, put_keyval_entry
from external_bot_management_api_client.api.project_document import (
    download_document,
    replace_document,
    upload_document,
)
from external_bot_management_api_client.api.skill import create_skill_of_project, list_skills_of_project
from external_bot_management_api_client.models import (
    AnswerMode,
    Bot,
    CreateBot,
    CreateFusionView,
    CreateSkill,
    FusionView,
    KeyvalEntry,
    Problem,
    PutKeyvalEntry,
    ReplaceDocument,
    ReplacedDocument,
    Skill,
    UpdateBot,
    UploadDocument,
    UploadedDocument,
    UploadedPackage,
    UploadFusionPackage,
)
from external_bot_management_api_client.types import File

address = os.environ["ADDRESS"]
project = AuthenticatedClient(
    address, os.environ["PROJECT_TOKEN"], prefix="", auth_header_name="X-Project-Api-Key"
)
own = AuthenticatedClient(address, os.environ["BOT_TOKEN"], prefix="", auth_header_name="X-Api-Key")

bot = create_bot.sync(client=project, body=CreateBot(name="Grace", temperature=0.2))
assert isinstance(bot, Bot) and bot.name == "Grace"
bots = list_bots.sync(client=project, limit=1)
assert isinstance(bots, list) and len(bots) == 1
changed = update_bot_of_project.sync(bot.field_id, client=project, body=UpdateBot(websearch=True))
assert isinstance(changed, Bot) and changed.websearch and changed.temperature == 0.2
refused = update_bot_of_project.sync(bot.field_id, client=project, body=UpdateBot(temperature=7))
assert isinstance(refused, Problem) and refused.code == "out_of_range"

skill = CreateSkill(name="Greeting", skill_id="greeting", answer_mode=AnswerMode.RANDOM)
created = create_skill_of_project.sync(bot.field_id, client=project, body=skill)
assert isinstance(created, Skill) and created.answer_mode == AnswerMode.RANDOM
skills = list_skills_of_project.sync(bot.field_id, client=project)
assert isinstance(skills, list) and skills[0].skill_id == "greeting"

text = Path(sys.argv[1]).read_bytes()
form = UploadDocument(file=File(io.BytesIO(text), "manual.md"), max_chars=1_000, ocr_enabled=False)
uploaded = upload_document.sync(client=project, body=form)
assert isinstance(uploaded, UploadedDocument) and uploaded.project_doc.extraction.settings.max_chars == 1_000
document = uploaded.project_doc.field_id
answer = download_document.sync_detailed(document, client=project)
assert answer.content == text
other = ReplaceDocument(file=File(io.BytesIO(text + b"More.\n"), "manual.md"))
replaced = replace_document.sync(document, client=project, body=other)
assert isinstance(replaced, ReplacedDocument) and replaced.replaced

view = CreateFusionView(type_="h5p", title="Course")
view["edition"] = 2
fusion = create_fusion_view_of_project.sync(bot.field_id, client=project, body=view)
assert isinstance(fusion, FusionView) and fusion["edition"] == 2 and fusion.file is None
archive = io.BytesIO()
with zipfile.ZipFile(archive, "w") as package:
    package.writestr("index.html", "<h1>Hi</h1>")
archive.seek(0)
upload = UploadFusionPackage(file=File(archive, "package.zip", "application/zip"))
uploaded_package = upload_fusion_package_of_project.sync(bot.field_id, fusion.field_id, client=project, body=upload)
assert isinstance(uploaded_package, UploadedPackage) and uploaded_package.entries == 1

mine = get_bot.sync(client=own)
assert isinstance(mine, Bot) and mine.api_keys
traced = get_bot.sync_detailed(client=own, traceparent="00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
assert traced.headers["traceresponse"].startswith("00-4bf92f3577b34da6a3ce929d0e0e4736-")
stored = put_keyval_entry.sync(
    "guest/1", "notes", "ä", client=own, body=PutKeyvalEntry(value={"score": 1})
)
assert isinstance(stored, KeyvalEntry)
entry = get_keyval_entry.sync("guest/1", "notes", "ä", client=own)
assert isinstance(entry, KeyvalEntry) and entry.value == {"score": 1}

delete_bot_of_project.sync(bot.field_id, client=project)
print(bot.name, len(answer.content), refused.code)
