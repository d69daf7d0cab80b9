// A page of another origin, with each kind of client. `run(kind, url)` says something and resolves to the answer.
import { HttpAgent } from "@ag-ui/client";
import { DefaultChatTransport, readUIMessageStream } from "ai";
import { createAgentClient } from "../../../client/src/index.ts";

const headers = { authorization: "Bearer ada" };

const clients = {
  async native(url) {
    const client = createAgentClient({ url, headers });
    const over = new Promise((resolve) => {
      client.subscribe(() => {
        const { phase, messages, sessionId } = client.getState();
        if (phase === "idle" && messages.length > 1)
          resolve(`${messages.at(-1).text} ${sessionId !== undefined}`);
      });
    });
    const sent = await client.send("Hi");
    return sent ? await over : client.getState().error.code;
  },
  async aiSdk(url) {
    const transport = new DefaultChatTransport({ api: `${url}/runs`, headers });
    const messages = [{ id: "m1", role: "user", parts: [{ type: "text", text: "Hi" }] }];
    const stream = await transport.sendMessages({
      chatId: crypto.randomUUID(),
      messages,
      trigger: "submit-message",
    });
    let last;
    for await (const message of readUIMessageStream({ stream })) last = message;
    return last.parts.at(-1).text;
  },
  async agUi(url) {
    const agent = new HttpAgent({ url: `${url}/runs`, headers });
    agent.addMessage({ id: crypto.randomUUID(), role: "user", content: "Hi" });
    await agent.runAgent();
    return agent.messages.at(-1).content;
  },
  /** What a page reads of a refusal. */
  async refused(url) {
    const response = await fetch(`${url}/sessions`);
    return `${response.status} ${(await response.json()).error.code}`;
  },
};

globalThis.run = async (kind, url) => {
  try {
    return await clients[kind](url);
  } catch (error) {
    return `failed: ${error.message}`;
  }
};
