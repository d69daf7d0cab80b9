import { agent, memoryStore, runtime } from "@pawl/core";
import { messagesApi } from "@pawl/testing";
import { expect, it } from "vitest";
import { client } from "./support.ts";

const web = {
  type: "web_search_result_location",
  url: "https://example.com/rain",
  title: "Rain",
  encrypted_index: "Eo8BCioIAhgB",
  cited_text: "It rains in Oslo.",
};
const page = {
  type: "page_location",
  cited_text: "Page one.",
  document_index: 0,
  document_title: "a.pdf",
  start_page_number: 1,
  end_page_number: 2,
};
const id = "srvtoolu_1";
const found = { type: "web_search_result", url: web.url, title: "Rain", encrypted_content: "EqgfCioI" };
const answer = [
  { type: "server_tool_use", id, name: "web_search", input: { query: "rain" } },
  { type: "web_search_tool_result", tool_use_id: id, content: [found] },
  { type: "text", text: "I looked." },
  // The API sends a `file_id` with citations of documents, and refuses it in requests.
  { type: "text", text: "It rains.", citations: [web, { ...page, file_id: null }] },
];

it("F14 citations arrive in pieces, are kept as they are, and are sent back as the API takes them", async () => {
  const script = [{ content: answer }, { text: "Bye." }];
  const api = await messagesApi({ script });
  const model = client(api, {
    serverTools: [{ type: "web_search_20250305", name: "web_search", max_uses: 2 }],
  });
  const reader = agent({ name: "reader", model, instructions: "You read." });
  const pawl = runtime({ agents: [reader], store: memoryStore() });
  const user = { userId: "ada" };
  const { sessionId, stop } = await pawl.run(reader, { ...user, input: "Rain?" }).result;
  expect(stop.type).toBe("end_turn");
  const again = await pawl.run(reader, { ...user, sessionId, input: "Sure?" }).result;
  expect(api.rejected).toEqual([]);
  expect(again.text).toBe("Bye.");
  const sent = api.requests[1]?.body as { messages: { content: object[] }[] } | undefined;
  expect(sent?.messages[1]?.content).toEqual([
    ...answer.slice(0, 3),
    { ...answer[3], citations: [web, page] },
  ]);
  const [, shown] = (await pawl.view(sessionId, user)).messages;
  expect(shown?.parts.at(-1)).toMatchObject({
    type: "text",
    text: "It rains.",
    citations: [
      { text: "It rains in Oslo.", source: web.url, title: "Rain", page: null },
      { text: "Page one.", source: null, title: "a.pdf", page: 1 },
    ],
  });
  await api.close();
});
