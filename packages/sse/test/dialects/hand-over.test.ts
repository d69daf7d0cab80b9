import { expect, it } from "vitest";
import { createAgentClient, until } from "../../../client/src/index.ts";
import { agUi, aiSdk, type Dialect } from "../../src/index.ts";
import { httpAgent, reloaded, say } from "../support/agents.ts";
import { chat, history } from "../support/chat.ts";
import { handingOver, namedAnswers, partsWithSpeakers, spokenParts } from "../support/speakers.ts";

/** The agent "coach" hands the first message over to "other"; the next one goes there, too. */
const serving = (dialect?: Dialect) =>
  handingOver("other", { handOverTo: { other: "It knows seats." }, ...(dialect && { dialect }) });

it.each([6, 7] as const)(
  "F16 W2 AI SDK %i: one answer has the steps of both agents, live and after a reload",
  async (version) => {
    const served = await serving(aiSdk());
    const talk = chat(version, served, { id: "c" });
    await talk.sendMessage({ text: "Another seat" });
    await talk.sendMessage({ text: "12A" });
    expect(partsWithSpeakers(talk.messages)).toEqual([
      ["text"],
      [...["step-start", "coach", "text", "tool-transfer_to_other"], ...["step-start", "other", "text"]],
      ["text"],
      ["step-start", "other", "text"],
    ]);
    expect(partsWithSpeakers(await history(served, "c")).flat()).toEqual(
      partsWithSpeakers(talk.messages).flat(),
    );
  },
);

it.each(["0.0.59", "1.0"] as const)(
  "F16 W2 AG-UI %s: a message has the agent as its name, live and after a reload",
  async (version) => {
    const served = await serving(agUi());
    const client = httpAgent(version, served, { threadId: "t1" });
    await say(client, "Another seat");
    await say(client, "12A");
    expect(namedAnswers(client.messages)).toEqual([
      ["coach", "One moment."],
      ["other", "Which seat?"],
      ["other", "Done."],
    ]);
    expect(namedAnswers((await reloaded(version, served, "t1")).messages)).toEqual(
      namedAnswers(client.messages),
    );
  },
);

it("F16 W2 Pawl's own client follows to the other agent, and shows the same after a reload", async () => {
  const served = await serving();
  const options = { url: served.url, headers: { authorization: "Bearer ada" } };
  const client = createAgentClient(options);
  await client.send("Another seat");
  const state = await until(client, ({ run, messages }) => run?.open === false && messages.length === 3);
  expect(spokenParts(state.messages)).toEqual([
    ...["text undefined", "text coach", "tool coach", "text other"],
  ]);
  await client.send("12A");
  const again = await until(client, ({ run, messages }) => run?.open === false && messages.length === 5);
  expect(again.messages.at(-1)?.text).toBe("Done.");
  const second = createAgentClient({ ...options, sessionId: state.sessionId ?? "" });
  const loaded = await until(second, ({ messages }) => messages.length === 5);
  expect(loaded.messages).toEqual(again.messages);
  client.close();
  second.close();
});
