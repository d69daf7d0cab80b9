import { expect, it } from "vitest";
import { createAgentClient, until } from "../../../client/src/index.ts";
import { coach } from "../../src/dialects.ts";
import { agUi, aiSdk, type Dialect } from "../../src/index.ts";
import { httpAgent, reloaded, say } from "../support/agents.ts";
import { chat, history } from "../support/chat.ts";
import { handingOver, namedAnswers, partsWithSpeakers, spokenParts } from "../support/speakers.ts";

const roles = {
  triage: { instructions: "Delegate.", to: ["seats"] },
  seats: { instructions: "Change seats.", to: ["triage"] },
};

/** Triage hands the first message over; the next one goes to the same role. */
const serving = (dialect?: Dialect) => handingOver("seats", { roles, ...(dialect && { dialect }) });

it.each([6, 7] as const)(
  "F35 W2 AI SDK %i: each step begins with the role that speaks, live and after a reload",
  async (version) => {
    const served = await serving(aiSdk());
    const talk = chat(version, served, { id: "c" });
    await talk.sendMessage({ text: "Another seat" });
    await talk.sendMessage({ text: "12A" });
    expect(partsWithSpeakers(talk.messages)).toEqual([
      ["text"],
      [...["step-start", "triage", "text", "tool-transfer_to_seats"], ...["step-start", "seats", "text"]],
      ["text"],
      ["step-start", "seats", "text"],
    ]);
    const loaded = await history(served, "c");
    expect(loaded.map(({ parts }) => parts.map(({ type }) => type))).toEqual(
      talk.messages.map(({ parts }) => parts.map(({ type }) => type)),
    );
  },
);

it.each(["0.0.59", "1.0"] as const)(
  "F35 W2 AG-UI %s: a message has the role as its name, live and after a reload, and each step tells it",
  async (version) => {
    const served = await serving(agUi());
    const client = httpAgent(version, served, { threadId: "t1" });
    const events = await say(client, "Another seat");
    const told = events.filter(({ type, name }) => type === "CUSTOM" && name === "role");
    expect(told.map(({ value }) => value)).toEqual(["triage", "seats"]);
    await say(client, "12A");
    expect(namedAnswers(client.messages)).toEqual([
      ["triage", "One moment."],
      ["seats", "Which seat?"],
      ["seats", "Done."],
    ]);
    const again = await reloaded(version, served, "t1");
    expect(namedAnswers(again.messages)).toEqual(namedAnswers(client.messages));
  },
);

it("F35 W2 Pawl's own client: each part has its role, and the run the one that speaks, also after a reload", async () => {
  const served = await serving();
  const options = { url: served.url, headers: { authorization: "Bearer ada" } };
  const client = createAgentClient(options);
  await client.send("Another seat");
  const state = await until(client, ({ run }) => run?.open === false);
  expect(spokenParts(state.messages)).toEqual(["text undefined", "text triage", "tool triage", "text seats"]);
  expect(state.run?.role).toBe("seats");
  const second = createAgentClient({ ...options, sessionId: state.sessionId ?? "" });
  const loaded = await until(second, ({ messages }) => messages.length === 2);
  expect(loaded.messages).toEqual(state.messages);
  expect(loaded.run?.role).toBe("seats");
  client.close();
  second.close();
});

it("F35 the coach's clients get a hand-over as a change of mode", async () => {
  const served = await serving(coach());
  const response = await served.ask("/runs", { json: { message: "Another seat" } });
  expect(await response.text()).toContain('{"modeChange":"seats"}');
});
