// One round through the API with openapi-fetch and the types that openapi-typescript makes.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import createClient from "openapi-fetch";
import type { paths } from "./botyard.js";

const { ADDRESS, PROJECT_TOKEN, BOT_TOKEN } = process.env;
const project = createClient<paths>({ baseUrl: ADDRESS, headers: { "X-Project-Api-Key": PROJECT_TOKEN } });
const own = createClient<paths>({ baseUrl: ADDRESS, headers: { "X-Api-Key": BOT_TOKEN } });

const { data: bot, error } = await project.POST("/api/external/projectapi/bots", {
  body: { name: "Grace", temperature: 0.2 },
});
if (!bot) throw new Error(error.detail);
const path = { botId: bot._id };
const list = await project.GET("/api/external/projectapi/bots", { params: { query: { limit: 1 } } });
assert.equal(list.data?.length, 1);
const refused = await project.PUT("/api/external/projectapi/bots/{botId}", {
  params: { path },
  body: { temperature: 7 },
});
assert.equal(refused.error?.code, "out_of_range");
assert.deepEqual(refused.error?.errors?.map((one) => one.pointer), ["/temperature"]);

const skill = await project.POST("/api/external/projectapi/bots/{botId}/skills", {
  params: { path },
  body: { name: "Greeting", skillId: "greeting", answerMode: "random" },
});
assert.equal(skill.data?.answerMode, "random");

const text = await readFile(process.argv[2]!);
const form = new FormData();
form.set("maxChars", "1000");
form.set("ocrEnabled", "false");
form.set("file", new Blob([new Uint8Array(text)]), "manual.md");
const uploaded = await project.POST("/api/external/projectapi/doc/upload", {
  body: form as never,
  bodySerializer: (body) => body,
});
const document = uploaded.data?.projectDoc;
assert.equal(document?.extraction.settings.maxChars, 1000);
const download = await project.GET("/api/external/projectapi/doc/files/{docId}/download", {
  params: { path: { docId: document!._id } },
  parseAs: "arrayBuffer",
});
assert.deepEqual(Buffer.from(download.data as ArrayBuffer), text);

const token = await own.GET("/api/external/checkauth");
assert.equal(token.data?.scheme, "APIKeyHeader");
const address = { userId: "guest/1", type: "notes", key: "ä" };
const stored = await own.PUT("/api/external/keyval/{userId}/{type}/{key}", {
  params: { path: address },
  body: { value: { score: 1 } },
});
assert.equal(stored.data?.userId, "guest/1");
const entry = await own.GET("/api/external/keyval/{userId}/{type}/{key}", { params: { path: address } });
assert.deepEqual(entry.data?.value, { score: 1 });

await project.DELETE("/api/external/projectapi/bots/{botId}", { params: { path } });
console.log(bot.name, text.length, refused.error?.code);
