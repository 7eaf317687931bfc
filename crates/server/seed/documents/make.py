"""Makes the PDF, the Word document and the workbook of this folder, from nothing but what stands here:

    python3 make.py

The same text makes the same bytes. The Markdown and the YAML beside it are written by hand.
"""

import zipfile
from xml.sax.saxutils import escape

# ---------------------------------------------------------------- luna-manual.pdf

# A line that begins with "# " is a heading, an empty one parts paragraphs, "| " is a row of a table.
PAGES = [
    """# Luna desk lamp: manual

Thank you for choosing Luna. This manual tells you how to put the lamp together, how to use it and how to
look after it. Keep it for as long as you have the lamp.

# Safety

Use the lamp indoors only, and in dry rooms. Pull the plug before you open the lamp, clean it or change
the bulb, and let it cool down for ten minutes. A bulb in use is hot enough to burn your skin.

Do not cover the shade. Keep half a metre between the lamp and curtains, paper or anything else that can
catch fire. If the cable is damaged, stop using the lamp: cables are replaced by our workshop, and never
mended with tape.

# What is in the box

| 1  base with cable and switch
| 1  arm in two parts
| 1  shade
| 2  wing nuts
| 1  bulb, E14, 4.5 W
""",
    """# Putting it together

1. Put the base on a firm, level table.
2. Push the lower part of the arm into the base until it clicks.
3. Join the two parts of the arm with a wing nut. Tighten it by hand; pliers break the thread.
4. Hang the shade into the upper end of the arm and fasten it with the second wing nut.
5. Screw the bulb in. Only now put the plug into the socket.

# Use

Touch the base to switch the lamp on and off. Keep your finger on it to dim the light: it becomes
brighter for three seconds and then darker again. The lamp remembers the last brightness, also when it
was unplugged.

Two touches, one after the other, start the timer. The lamp then switches itself off after 45 minutes and
dims for the last minute, so that you are not left in the dark.

The arm turns by 270 degrees. Do not turn it any further: the cable runs inside of it.
""",
    """# Care

Dust the lamp with a dry cloth once a week. For stains take a damp cloth and a drop of washing-up liquid;
alcohol and scouring powder make the paint dull. Never hold any part of the lamp under water.

# A new bulb

Luna takes bulbs with an E14 socket of at most 25 W, or LED bulbs of at most 6 W. LED bulbs must be
marked as dimmable, or they flicker.

# If something is wrong

| The lamp stays dark.          Is the plug in? Does the bulb sit firmly? Try another bulb.
| The light flickers.           The bulb can't be dimmed. Take one that can.
| The arm sinks.                Tighten the wing nut in the middle of the arm by hand.
| It switches itself off.       The timer is on: touch the base twice.
| The base does not react.      Pull the plug, wait for one minute, plug it in again.

If none of this helps, write to service@lamps.example and name the number below the base, such as
LU-2026-004711.
""",
    """# Technical data

| Voltage              230 V, 50 Hz
| Power                at most 25 W
| Socket               E14
| Height               32 to 58 cm
| Weight               1.9 kg
| Length of the cable  1.8 m
| Protection           class II, IP20

# Warranty

The warranty lasts for three years from the day of purchase. It covers everything but the bulb, and
everything that you did not break yourself. Send the lamp to us together with the receipt; we mend it or
send you a new one within ten working days.

# When it is beyond repair

Lamps do not belong in the household waste. Bring Luna to a collection point for electrical appliances,
or back to one of our shops. It costs you nothing.
""",
]
# A4 in points, and how wide a line may be in characters of this size.
WIDTH, HEIGHT, MARGIN, SIZE, LINE = 595, 842, 64, 10.5, 15


def text_of_page(page, number):
    out, y = [], HEIGHT - MARGIN

    def put(text, font, size, x, y):
        text = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        out.append(f"BT /{font} {size} Tf {x} {y:g} Td ({text}) Tj ET")

    for line in page.splitlines():
        if line.startswith("# "):
            y -= 6
            put(line[2:], "Bold", 14, MARGIN, y)
            y -= 22
        elif line.startswith("| "):
            put(line[2:], "Mono", 9, MARGIN + 8, y)
            y -= LINE
        else:
            if line:
                put(line, "Text", SIZE, MARGIN, y)
            y -= LINE if line else LINE / 2
    put("Lamps & Light, Sample Street 1, Aachen", "Text", 8, MARGIN, 40)
    put(f"{number} / {len(PAGES)}", "Text", 8, WIDTH - MARGIN - 20, 40)
    return "\n".join(out)


def pdf():
    fonts = {"Text": "Helvetica", "Bold": "Helvetica-Bold", "Mono": "Courier"}
    first_page = 4 + len(fonts)
    ids = [first_page + 2 * index for index in range(len(PAGES))]
    resources = " ".join(f"/{name} {4 + at} 0 R" for at, name in enumerate(fonts))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R /Lang (en) >>",
        f"<< /Type /Pages /Count {len(ids)} /Kids [{' '.join(f'{id} 0 R' for id in ids)}] >>",
        "<< /Title (Luna desk lamp: manual) /Author (Lamps & Light) >>",
    ]
    for font in fonts.values():
        objects.append(
            f"<< /Type /Font /Subtype /Type1 /BaseFont /{font} /Encoding /WinAnsiEncoding >>"
        )
    for id, (number, page) in zip(ids, enumerate(PAGES, 1)):
        content = text_of_page(page, number)
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] "
            f"/Resources << /Font << {resources} >> >> /Contents {id + 1} 0 R >>"
        )
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
    out, offsets = "%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{content}\nendobj\n"
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n"
    out += "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    out += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info 3 0 R >>\n"
    return (out + f"startxref\n{start}\n%%EOF\n").encode("ascii")


# ---------------------------------------------------------------- files of Office

HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
TYPES = "application/vnd.openxmlformats-officedocument"


def relations(targets):
    lines = "".join(
        f'<Relationship Id="r{number}" Type="{OFFICE}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets, 1)
    )
    return f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships">{lines}</Relationships>'


def content_types(parts):
    lines = "".join(f'<Override PartName="/{part}" ContentType="{TYPES}.{kind}+xml"/>' for part, kind in parts)
    return (
        f'{HEAD}<Types xmlns="{PACKAGE}/content-types">'
        f'<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{lines}</Types>'
    )


def archive(path, parts):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, content in parts:
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(entry, content)


# ---------------------------------------------------------------- returns.docx

# Styles: a number is the level of a heading, "-" an item of a list, "" a paragraph; a list is a table.
RETURNS = [
    (1, "Returns: how we do it"),
    ("", "For the staff of all shops and of the telephone service."),
    (2, "Who may return what"),
    ("", "Whatever was bought in the shop or ordered from us can be returned within 30 days, with the receipt "
         "or the number of the order. It need not be in its box."),
    ("-", "Bulbs that were unpacked are not taken back, unless they are faulty."),
    ("-", "Lamps that were made to order are not taken back."),
    ("-", "Gifts can be exchanged, also without a receipt."),
    (2, "What it costs"),
    [("Way", "Who pays", "Refund after"),
     ("Brought to a shop", "nobody", "at once"),
     ("Sent by post, within 30 days", "we do", "5 working days"),
     ("Sent by post, faulty, within 3 years", "we do", "10 working days")],
    (2, "If a customer is angry"),
    ("", "Listen first. Say what you can do, and by when. Up to 50 euros every one of you may give back money "
         "without asking anybody."),
]
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def paragraph(kind, text):
    style = {"": "", "-": '<w:pStyle w:val="ListBullet"/><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'}
    style = style.get(kind, f'<w:pStyle w:val="Heading{kind}"/>')
    return f'<w:p><w:pPr>{style}</w:pPr><w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r></w:p>'


def word_table(rows):
    cell = lambda text: f'<w:tc><w:tcPr><w:tcW w:w="3000" w:type="dxa"/></w:tcPr>{paragraph("", text)}</w:tc>'
    lines = "".join(f"<w:tr>{''.join(cell(text) for text in row)}</w:tr>" for row in rows)
    grid = '<w:gridCol w:w="3000"/>' * len(rows[0])
    return f'<w:tbl><w:tblPr><w:tblStyle w:val="TableGrid"/></w:tblPr><w:tblGrid>{grid}</w:tblGrid>{lines}</w:tbl>'


def docx():
    body = "".join(word_table(part) if isinstance(part, list) else paragraph(*part) for part in RETURNS)
    heading = lambda level, size: (
        f'<w:style w:type="paragraph" w:styleId="Heading{level}"><w:name w:val="heading {level}"/>'
        f'<w:pPr><w:outlineLvl w:val="{level - 1}"/></w:pPr><w:rPr><w:b/><w:sz w:val="{size}"/></w:rPr></w:style>'
    )
    styles = heading(1, 36) + heading(2, 28) + (
        '<w:style w:type="paragraph" w:styleId="ListBullet"><w:name w:val="List Bullet"/></w:style>'
        '<w:style w:type="table" w:styleId="TableGrid"><w:name w:val="Table Grid"/></w:style>'
    )
    bullet = (
        '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="-"/>'
        '</w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    )
    parts = [("word/document.xml", "wordprocessingml.document.main"),
             ("word/styles.xml", "wordprocessingml.styles"),
             ("word/numbering.xml", "wordprocessingml.numbering")]
    return [
        ("[Content_Types].xml", content_types(parts)),
        ("_rels/.rels", relations([("officeDocument", "word/document.xml")])),
        ("word/_rels/document.xml.rels", relations([("styles", "styles.xml"), ("numbering", "numbering.xml")])),
        ("word/document.xml", f'{HEAD}<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'),
        ("word/styles.xml", f'{HEAD}<w:styles xmlns:w="{WORD}">{styles}</w:styles>'),
        ("word/numbering.xml", f'{HEAD}<w:numbering xmlns:w="{WORD}">{bullet}</w:numbering>'),
    ]


# ---------------------------------------------------------------- prices.xlsx

SHEETS = {
    "Lamps": [
        ("Lamp", "Number", "Price in euros", "In stock"),
        ("Luna, desk lamp", "LU-100", 49.9, 120),
        ("Stella, floor lamp", "ST-200", 129, 31),
        ("Nova, ceiling lamp", "NO-300", 89.5, 0),
        ("Comet, bicycle lamp", "CO-400", 24.95, 260),
    ],
    "Bulbs": [
        ("Bulb", "Socket", "Watts", "Price in euros"),
        ("LED, dimmable", "E14", 4.5, 6.9),
        ("LED, dimmable", "E27", 8, 8.9),
        ("LED, coloured", "E27", 9, 19),
    ],
}
EXCEL = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def cell(value):
    if isinstance(value, str):
        return f'<c t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f"<c><v>{value}</v></c>"


def xlsx():
    parts = [("xl/workbook.xml", "spreadsheetml.sheet.main")]
    parts += [(f"xl/sheet{number}.xml", "spreadsheetml.worksheet") for number in range(1, len(SHEETS) + 1)]
    names = "".join(
        f'<sheet name="{name}" sheetId="{number}" r:id="r{number}"/>' for number, name in enumerate(SHEETS, 1)
    )
    files = [
        ("[Content_Types].xml", content_types(parts)),
        ("_rels/.rels", relations([("officeDocument", "xl/workbook.xml")])),
        ("xl/workbook.xml",
         f'{HEAD}<workbook xmlns="{EXCEL}" xmlns:r="{OFFICE}"><sheets>{names}</sheets></workbook>'),
        ("xl/_rels/workbook.xml.rels",
         relations([("worksheet", f"sheet{number}.xml") for number in range(1, len(SHEETS) + 1)])),
    ]
    for number, rows in enumerate(SHEETS.values(), 1):
        lines = "".join(f"<row>{''.join(cell(value) for value in row)}</row>" for row in rows)
        files.append((f"xl/sheet{number}.xml",
                      f'{HEAD}<worksheet xmlns="{EXCEL}"><sheetData>{lines}</sheetData></worksheet>'))
    return files


if __name__ == "__main__":
    with open("luna-manual.pdf", "wb") as out:
        out.write(pdf())
    archive("returns.docx", docx())
    archive("prices.xlsx", xlsx())
