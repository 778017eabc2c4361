// Reads a stream of the server as a web application does; `tests/isolated.py` runs it.
import { Client } from "@langchain/langgraph-sdk";

const [url, request] = process.argv.slice(2);
const client = new Client({ apiUrl: url });
const thread = await client.threads.create();
const streamMode = ["updates", "values", "custom"];
let last = 0;
let answers = 0;
for await (const part of client.runs.stream(thread.thread_id, "platform", {
  input: { messages: [{ role: "user", content: request }] },
  streamMode,
  streamSubgraphs: true,
})) {
  if (part.event === "error") throw new Error(JSON.stringify(part.data));
  if (part.event === "custom") {
    if (part.data.seq !== last + 1) throw new Error(`${part.data.seq} follows ${last}`);
    last = part.data.seq;
  }
  if (part.event === "values") answers += part.data.status === "ok" ? 1 : 0;
}
const state = await client.threads.getState(thread.thread_id);
if (state.values.messages.length !== 2) throw new Error(JSON.stringify(state.values.messages));
console.log(`read ${answers} answer`);
