import { jsonSchema, type ModelClient, tool } from "@pawl/core";
import { describe, expect, it } from "vitest";
import { pause } from "../../../test/support/pause.ts";
import {
  clientOf,
  confirm,
  handModel,
  isIdle,
  lastText,
  type Served,
  serve,
  when,
} from "./support/clients.ts";

/** Longer than a run without a reader goes on. */
const LONG_MS = 1_200;
const longer = () => pause(LONG_MS, "longer than a run without a reader continues");

const question = { id: "c1", name: "confirm", input: { question: "Sure?" } };

/** A `fetch` that counts the streams of `POST /runs` that the client has closed itself. */
function counting(): { fetch: typeof fetch; closed(): number } {
  let closed = 0;
  return {
    closed: () => closed,
    fetch: (input, init) => {
      const close = () => {
        closed += 1;
      };
      if (String(input).endsWith("/runs")) init?.signal?.addEventListener("abort", close);
      return fetch(input, init);
    },
  };
}

type More = Omit<NonNullable<Parameters<typeof serve>[1]>, "onClientGone">;

const stopping = (model: ModelClient, more: More = {}) => serve(model, { ...more, onClientGone: "stop" });

const stopOf = async ({ runtime }: Served, sessionId = "") =>
  (await runtime.view(sessionId, { userId: "ada" })).run?.stop?.type;

/** Begins a run whose model has said "Once". */
async function begun(more: More = {}) {
  const model = handModel();
  const served = await stopping(model, more);
  const counted = counting();
  const client = clientOf(served, { fetch: counted.fetch });
  await client.send("Hi");
  const turn = await model.turn();
  turn.say("Once");
  const { sessionId = "" } = await when(client, (state) => lastText(state) === "Once");
  return { served, model, client, turn, sessionId, counted };
}

describe('L10 with `onClientGone: "stop"`', () => {
  it("a second message stops nothing, although the client closes the first one's stream", async () => {
    const { served, model, client, turn, sessionId, counted } = await begun({ whenBusy: "queue" });
    expect(await client.send("More")).toBe(true);
    await expect.poll(counted.closed).toBe(1);
    await longer();
    expect(await stopOf(served, sessionId)).toBeUndefined();
    turn.end();
    const next = await model.turn();
    next.say("Twice");
    next.end();
    await when(client, (state) => isIdle(state) && lastText(state) === "Twice");
    expect(await stopOf(served, sessionId)).toBe("end_turn");
  });

  it("an answer stops nothing while another tool of the run works", async () => {
    const model = handModel();
    const works = Promise.withResolvers<string>();
    const slow = tool({
      name: "slow",
      description: "Takes its time.",
      input: jsonSchema({ type: "object" }),
      execute: () => works.promise,
    });
    const served = await stopping(model, { tools: [confirm, slow] });
    const counted = counting();
    const client = clientOf(served, { fetch: counted.fetch });
    await client.send("Hi");
    (await model.turn()).end([question, { id: "c2", name: "slow", input: {} }]);
    const { sessionId } = await when(client, ({ pending }) => pending.length === 1);
    expect(await client.answer("c1", { yes: true })).toBe(true);
    await expect.poll(counted.closed).toBe(1);
    await longer();
    works.resolve("done");
    const turn = await model.turn();
    turn.say("Done");
    turn.end();
    await when(client, (state) => isIdle(state) && lastText(state) === "Done");
    expect(await stopOf(served, sessionId)).toBe("end_turn");
  });

  it("a connection that breaks stops nothing, because the client comes back at once", async () => {
    const { served, client, turn, sessionId } = await begun();
    for (const socket of served.sockets) socket.destroy();
    await when(client, ({ connection }) => connection === "reconnecting");
    await longer();
    turn.say(" more");
    turn.end();
    expect(lastText(await when(client, isIdle))).toBe("Once more");
    expect(await stopOf(served, sessionId)).toBe("end_turn");
  });

  it("a client that leaves stops the run, also after it came back by another stream", async () => {
    const { served, client, sessionId } = await begun();
    client.close();
    const after = clientOf(served, { sessionId });
    await when(after, (state) => lastText(state) === "Once");
    await longer();
    expect(await stopOf(served, sessionId)).toBeUndefined();
    after.close();
    await expect.poll(() => stopOf(served, sessionId)).toBe("aborted");
  });

  it("the run goes on until the last of two clients has left", async () => {
    const { served, client, sessionId } = await begun();
    const other = clientOf(served, { sessionId });
    await when(other, (state) => lastText(state) === "Once");
    client.close();
    await longer();
    expect(await stopOf(served, sessionId)).toBeUndefined();
    other.close();
    await expect.poll(() => stopOf(served, sessionId)).toBe("aborted");
  });

  it("a client that opens another conversation has left the run", async () => {
    const { served, client, sessionId } = await begun();
    client.open(undefined);
    await expect.poll(() => stopOf(served, sessionId)).toBe("aborted");
    const { messages } = await served.runtime.view(sessionId, { userId: "ada" });
    expect(messages.at(-1)?.text).toBe("Once");
  });
});
