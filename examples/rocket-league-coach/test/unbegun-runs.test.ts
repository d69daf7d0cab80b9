import { memoryStore } from "@pawl/core";
import { describe, expect, it } from "vitest";
import { dyingStore } from "../../../packages/core/test/support/stores.ts";
import { aspEvents, billing, bodyOf, tokenOf } from "./support/coaching.ts";
import { budgetOf, setUp } from "./support/set-up.ts";

const here = setUp("early");
const { coach, newUser } = here;

const answering = () => billing({ rules: () => ({ thinking: "Short.", text: "Take the small pads." }) });

describe("X3 E10 a reservation whose run does not begin", () => {
  it.each([
    ["of the budget", 100_000],
    ["of the free preview", 0],
  ])(
    "X3 E10 %s is over by itself if the front server dies before it stores the message",
    async (_, tokens) => {
      const user = newUser();
      const model = answering();
      const log = memoryStore();
      const dying = dyingStore(log, () => true, { isStored: false });
      let now = Date.now();
      const common = { model, budgetOf: budgetOf(tokens), now: () => now };
      const first = await coach({ ...common, store: dying });
      void first.chat({ message: "Hi", client_message_id: "m1" }, tokenOf(user));
      await expect.poll(() => dying.dead).toBe(true);
      const second = await coach({ ...common, store: log });
      const other = await second.chat({ message: "Hello?", client_message_id: "m2" }, tokenOf(user));
      expect(other.status).toBe(402);
      // Five minutes later, also by the database's clock.
      now += 5 * 60_000 + 1;
      await here.db.query(
        "UPDATE agent_reservations SET expires_at = expires_at - interval '5 minutes' WHERE starts_with(id, $1)",
        [user],
      );
      expect(await second.budget(user)).toMatchObject({ used: 0, held: 0 });
      // Its turn is closed, with the free preview that it had. Nothing can reserve for it any more.
      expect(await second.front.settle()).toBe(1);
      const again = await second.chat({ message: "Hello?", client_message_id: "m2" }, tokenOf(user));
      expect((await aspEvents(again)).at(-1)).toEqual({ type: "message_stop", stop_reason: "end_turn" });
      const late = await second.chat({ message: "Hi", client_message_id: "m1" }, tokenOf(user));
      expect([late.status, (await bodyOf(late)).error.code]).toEqual([409, "conflict"]);
      expect(await second.budget(user)).toMatchObject({ used: tokens > 0 ? model.billed : 0, held: 0 });
    },
  );

  it("X3 E10 is given back if the answer of the preflight is lost, and the message can be sent again", async () => {
    const user = newUser();
    const model = answering();
    let isLost = true;
    const of = await coach({
      model,
      budgetOf: budgetOf(100_000),
      between: async (request, send) => {
        const response = await send(request);
        if (isLost && request.url.endsWith("/chat/preflight")) throw new Error("Connection reset");
        return response;
      },
    });
    const refused = await of.chat({ message: "Hi", client_message_id: "m1" }, tokenOf(user));
    expect([refused.status, (await bodyOf(refused)).error.code]).toEqual([503, "unavailable"]);
    await expect.poll(async () => (await of.budget(user)).held, { timeout: 20_000 }).toBe(0);
    expect(model.requests).toEqual([]);
    isLost = false;
    const again = await of.chat({ message: "Hi", client_message_id: "m1" }, tokenOf(user));
    expect((await aspEvents(again)).at(-1)).toEqual({ type: "message_stop", stop_reason: "end_turn" });
    expect(await of.budget(user)).toMatchObject({ used: model.billed, held: 0 });
  });

  it("X3 E10 is kept if the same message, sent twice, has begun a run", async () => {
    const user = newUser();
    const inTurn = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const model = answering();
    const slow: typeof model.stream = async function* (request, given) {
      inTurn.resolve();
      await goOn.promise;
      yield* model.stream(request, given);
    };
    let preflights = 0;
    const of = await coach({
      model: { ...model, stream: slow },
      budgetOf: budgetOf(0),
      between: async (request, send) => {
        if (!request.url.endsWith("/chat/preflight")) return await send(request);
        preflights += 1;
        const isLost = preflights > 1 && preflights <= 4;
        const response = await send(request);
        if (!isLost) return response;
        await inTurn.promise;
        throw new Error("Connection reset");
      },
    });
    const sent = { message: "Hi", client_message_id: "m1" };
    const tabs = await Promise.all([1, 2].map(() => of.chat(sent, tokenOf(user))));
    expect(tabs.map(({ status }) => status).sort()).toEqual([200, 503]);
    const first = tabs.find(({ status }) => status === 200) as Response;
    expect(preflights).toBe(4);
    // Its free preview is not given back: nobody gets two.
    expect((await of.chat({ message: "Hello?" }, tokenOf(user))).status).toBe(402);
    goOn.resolve();
    expect((await aspEvents(first)).at(-1)).toEqual({ type: "message_stop", stop_reason: "end_turn" });
    expect((await of.chat({ message: "Hello?" }, tokenOf(user))).status).toBe(402);
    expect(model.requests).toHaveLength(1);
  });
});
