import { jsonSchema } from "@pawl/core";
import { describe, expect, it } from "vitest";
import { clientOf, expectSame, handModel, isIdle, serve, when } from "./support/clients.ts";

const output = jsonSchema({
  type: "object",
  properties: { city: { type: "string" }, celsius: { type: "number", maximum: 60 } },
  required: ["city", "celsius"],
});
const model = () => ({ ...handModel(), outputFormat: (schema: object) => schema as never });

describe("an agent's output", () => {
  it("F2 K1 grows in the state, and is final once it is valid", async () => {
    const hand = model();
    const served = await serve(hand, { output });
    const client = clientOf(served);
    expect(client.getState().output).toBeUndefined();
    await client.send("Oslo?");
    const turn = await hand.turn();
    turn.say('{"city":"Os');
    const partial = await when(client, ({ output }) => output !== undefined);
    expect(partial.output).toEqual({ final: false, value: { city: "Os" } });
    expect(partial.phase).toBe("streaming");
    turn.say('lo","celsius":12}');
    turn.end();
    const state = await when(client, isIdle);
    expect(state.output).toEqual({ final: true, value: { city: "Oslo", celsius: 12 } });
    expect(state.messages.at(-1)).toMatchObject({ text: "", parts: [{ type: "output", open: false }] });
    await expectSame(served, client);
    const late = clientOf(served, { sessionId: state.sessionId });
    expect((await when(late, ({ output }) => output !== undefined)).output).toEqual(state.output);
  });

  it("F2 disappears if it is wrong, and with the next run", async () => {
    const hand = model();
    const served = await serve(hand, { output });
    const client = clientOf(served);
    await client.send("Oslo?");
    const wrong = await hand.turn();
    wrong.say('{"city":"Oslo","celsius":99}');
    await when(client, ({ output }) => output !== undefined);
    wrong.end();
    const turn = await hand.turn();
    await when(client, ({ output }) => output === undefined);
    turn.say('{"city":"Oslo","celsius":9}');
    turn.end();
    await when(client, ({ output, phase }) => output?.final === true && phase === "idle");
    await client.send("Rome?");
    const next = await hand.turn();
    await when(client, ({ output, run }) => output === undefined && run?.open === true);
    next.say('{"city":"Rome","celsius":20}');
    next.end();
    await when(client, ({ output }) => output?.final === true);
    expect(client.getState().output?.value).toEqual({ city: "Rome", celsius: 20 });
  });

  it("F2 reaches a reader that connects in the middle of it", async () => {
    const hand = model();
    const served = await serve(hand, { output });
    const first = clientOf(served);
    await first.send("Oslo?");
    const turn = await hand.turn();
    turn.say('{"city":"Oslo","cel');
    const { sessionId } = await when(first, ({ output }) => output !== undefined);
    const second = clientOf(served, { sessionId });
    const state = await when(second, ({ output }) => output !== undefined);
    expect(state.output).toEqual({ final: false, value: { city: "Oslo" } });
    turn.say('sius":12}');
    turn.end();
    await when(second, isIdle);
    await expectSame(served, first, second);
  });
});
