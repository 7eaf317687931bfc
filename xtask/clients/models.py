"""One round through the API with httpx and the models that datamodel-codegen makes."""

import os
import sys
from pathlib import Path
from typing import Any

import httpx
import models

project = httpx.Client(
    base_url=os.environ["ADDRESS"] + "/api/external/projectapi",
    headers={"X-Project-Api-Key": os.environ["PROJECT_TOKEN"]},
)
own = httpx.Client(
    base_url=os.environ["ADDRESS"] + "/api/external", headers={"X-Api-Key": os.environ["BOT_TOKEN"]}
)


def body(model: Any) -> Any:
    return model.model_dump(mode="json", by_alias=True, exclude_unset=True)


answer = project.post("/bots", json=body(models.CreateBot(name="Grace", temperature=0.2)))
bot = models.Bot.model_validate_json(answer.content)
assert bot.name == "Grace" and bot.temperature == 0.2
page = project.get("/bots", params={"limit": 1})
assert len([models.Bot.model_validate(one) for one in page.json()]) == 1 and "next" in page.links
changes = {"temperature": 7}
refused = models.Problem.model_validate_json(project.put(f"/bots/{bot.field_id}", json=changes).content)
assert refused.code == "out_of_range" and refused.errors and refused.errors[0].pointer == "/temperature"

skill = models.CreateSkill(name="Greeting", skillId="greeting", answerMode=models.AnswerMode.random)
answer = project.post(f"/bots/{bot.field_id}/skills", json=body(skill))
assert models.Skill.model_validate_json(answer.content).answerMode == models.AnswerMode.random

text = Path(sys.argv[1]).read_bytes()
form = {"maxChars": 1_000, "ocrEnabled": "False"}
answer = project.post("/doc/upload", files={"file": ("manual.md", text)}, data=form)
document = models.UploadedDocument.model_validate_json(answer.content).projectDoc
assert document.extraction.settings.maxChars == 1_000
assert project.get(f"/doc/files/{document.field_id}/download").content == text

token = models.TokenData.model_validate_json(own.get("/checkauth").content)
assert token.scheme == models.Scheme.APIKeyHeader and token.botId
answer = own.put("/keyval/guest%2F1/notes/a", json=body(models.PutKeyvalEntry(value={"score": 1})))
assert models.KeyvalEntry.model_validate_json(answer.content).userId == "guest/1"
for entry in own.get("/bot/changelog", params={"limit": 2}).json():
    models.ChangelogEntry.model_validate(entry)

models.BotDeleted.model_validate_json(project.delete(f"/bots/{bot.field_id}").content)
print(bot.name, document.size, refused.code)
