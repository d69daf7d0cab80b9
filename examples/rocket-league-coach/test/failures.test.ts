import type { Rules } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { aspEvents, billing, bodyOf, tokenOf } from "./support/coaching.ts";
import { expectNoSecrets, setUp } from "./support/set-up.ts";

const { coach, newUser } = setUp("guest");

/** Reads the notes, and repeats to the user what it has read. */
const reading: Rules = ({ messages }, { turn }) => {
  if (turn === 0) return { thinking: "Notes first.", tools: [{ name: "get_coaching_notes", input: {} }] };
  return { thinking: "Say what came.", text: `I read: ${JSON.stringify(messages.at(-1)).slice(0, 600)}` };
};

describe("X3 the front server while its backend fails", () => {
  it("X3 T10 lets the model read a clear error if a tool's backend cannot be reached", async () => {
    const user = newUser();
    const errors: unknown[] = [];
    const model = billing({ rules: reading });
    const of = await coach({
      model,
      onError: (error) => errors.push(error),
      between: async (request, send) =>
        request.url.endsWith("/tools/execute")
          ? await Promise.reject(new Error("connect ECONNREFUSED"))
          : await send(request),
    });
    const response = await of.chat({ message: "What do you know of me?" }, tokenOf(user));
    const events = await aspEvents(response);
    expect(events.find(({ type }) => type === "tool_result")).toMatchObject({ is_error: true });
    expect(events.at(-1)).toEqual({ type: "message_stop", stop_reason: "end_turn" });
    expect(model.rejected).toEqual([]);
    expect(await of.budget(user)).toMatchObject({ used: model.billed, held: 0 });
    await expectNoSecrets(of, user, [...errors, events]);
  });

  it("X3 F18 refuses a message before anything is stored if the token is wrong or the backend is down", async () => {
    const user = newUser();
    let fails = "";
    const errors: unknown[] = [];
    const model = billing({ rules: reading });
    const of = await coach({
      model,
      onError: (error) => errors.push(error),
      between: async (request, send) => {
        if (fails !== "" && request.url.endsWith(fails)) throw new Error("connect ECONNREFUSED");
        return await send(request);
      },
    });
    expect((await of.chat({ message: "Hi" }, "wrong")).status).toBe(401);
    const noToken = new Request("http://front/api/coach/chat", { method: "POST", body: '{"message":"Hi"}' });
    expect((await of.front.serve(noToken)).status).toBe(401);
    for (fails of ["/budget", "/chat/preflight"]) {
      const refused = await of.chat({ message: "Hi" }, tokenOf(user));
      expect(refused.status).toBe(503);
      expect((await bodyOf(refused)).error).toMatchObject({ code: "unavailable" });
    }
    // The list of tools fails after the reservation is made: nothing of it stays.
    fails = "/tools/schema";
    const refused = await of.chat({ message: "Hi" }, tokenOf(user));
    expect(refused.status).toBeGreaterThanOrEqual(500);
    expect(await of.budget(user)).toMatchObject({ used: 0, held: 0 });
    expect(model.requests).toEqual([]);
    await expectNoSecrets(of, user, [...errors, await refused.text()]);
  });

  it("X3 ends the run if the backend is down before a turn, and is charged once it is back", async () => {
    const user = newUser();
    let renewals = 0;
    const model = billing({ rules: reading });
    const of = await coach({
      model,
      between: async (request, send) => {
        if (request.url.endsWith("/chat/renew")) renewals += 1;
        if (request.url.endsWith("/chat/renew") && renewals > 1) throw new Error("connect ECONNREFUSED");
        return await send(request);
      },
    });
    const response = await of.chat({ message: "What do you know of me?" }, tokenOf(user));
    const events = await aspEvents(response);
    const message = "The coach's data cannot be reached at the moment. Please try again.";
    expect(events.at(-1)).toEqual({ type: "error", message });
    expect(model.requests).toHaveLength(1);
    expect(await of.budget(user)).toMatchObject({ used: model.billed, held: 0 });
    await expectNoSecrets(of, user, [events]);
  });

  it("X3 shows the model the replay that the user looks at, and refuses a wrong id", async () => {
    const user = newUser();
    const model = billing({ rules: () => ({ thinking: "A replay.", text: "I see it." }) });
    const of = await coach({ model });
    await aspEvents(await of.chat({ message: "What about this match?", replay_id: "r-1:2" }, tokenOf(user)));
    expect(JSON.stringify(model.requests[0]?.messages)).toContain("the replay r-1:2");
    const wrong = await of.chat({ message: "Hi", replay_id: "<b>" }, tokenOf(user));
    expect(wrong.status).toBe(400);
    expect((await of.budget(user)).held).toBe(0);
  });

  it("X3 L8 ends after COACH_MAX_STEPS turns with a clear end", async () => {
    const user = newUser();
    const model = billing({
      rules: ({ tool_choice }) =>
        tool_choice?.type === "none"
          ? { text: "That is as far as I got." }
          : { thinking: "More.", tools: [{ name: "get_coaching_notes", input: {} }] },
    });
    const of = await coach({ model, maxSteps: 3 });
    const events = await aspEvents(await of.chat({ message: "Look at everything" }, tokenOf(user)));
    expect(model.requests).toHaveLength(3);
    expect(events.at(-1)).toEqual({ type: "message_stop", stop_reason: "turn_limit" });
    expect(events.filter(({ type }) => type === "message_stop")).toHaveLength(1);
    expect(await of.budget(user)).toMatchObject({ used: model.billed, held: 0 });
  });
});
