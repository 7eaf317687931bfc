// Receives webhooks, and verifies every message with the library of the standard.

import assert from "node:assert";
import http from "node:http";
import { Webhook } from "standardwebhooks";

const api = `${process.env.ADDRESS}/api/external/projectapi`;
const each = 50;
const received = [];
const secrets = [];
const failures = [];

const server = http.createServer(async (request, answer) => {
  let body = "";
  for await (const piece of request) body += piece;
  try {
    const [message] = secrets.map((secret) => new Webhook(secret).verify(body, request.headers));
    received.push([request.headers["webhook-id"], message]);
    answer.statusCode = 204;
  } catch (error) {
    failures.push(error);
    answer.statusCode = 500;
  }
  answer.end();
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

async function call(method, path, body) {
  const headers = { "X-Project-Api-Key": process.env.PROJECT_TOKEN, "Content-Type": "application/json" };
  const answer = await fetch(api + path, { method, headers, body: body && JSON.stringify(body) });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

async function until(count) {
  for (let looked = 0; looked < 3000; looked += 1) {
    if (failures.length > 0) throw failures[0];
    if (received.length >= count) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`${received.length} of ${count} messages have come`);
}

async function make(begin, bot) {
  for (let number = begin; number < begin + each; number += 1) {
    await call("POST", `/bots/${bot}/skills`, { name: `Skill ${number}` });
  }
}

const bot = (await call("POST", "/bots", { name: "Webhooks in JavaScript" }))._id;
const url = `http://127.0.0.1:${server.address().port}/`;
const webhook = await call("POST", "/webhooks", { url, types: ["skill.*"], botIds: [bot] });
secrets.push(webhook.secret);
await make(0, bot);
await until(each);
// While a rotation overlaps, both secrets verify every message.
secrets.push((await call("POST", `/webhooks/${webhook._id}/rotate`)).secret);
await make(each, bot);
await until(2 * each);
const events = await call("GET", `/events?after=0&limit=1000&types=skill.*&botId=${bot}`);
assert.deepStrictEqual(received.map(([, message]) => message.data), events);
assert.deepStrictEqual(received.map(([sent]) => sent), events.map((event) => event._id));
await call("DELETE", `/webhooks/${webhook._id}`);
server.close();
console.log(`${received.length} messages, all verified, the second half with two secrets`);
