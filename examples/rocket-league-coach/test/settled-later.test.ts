import { memoryStore } from "@pawl/core";
import type { Reply } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { pause } from "../../../test/support/pause.ts";
import { allowPrinted } from "../../../test/support/printed.ts";
import { settled } from "../../../test/support/settled.ts";
import { type Billed, billing, type Coaching, type CoachingOptions, tokenOf } from "./support/coaching.ts";
import { logOf, sessionOf, setUp, storedMessages } from "./support/set-up.ts";

const here = setUp("late");
const { newUser } = here;

/** A front whose calls of some of the backend's routes fail, and a model that answers when it is let. */
interface Failing {
  user: string;
  model: Billed;
  /** The ends of the paths that cannot be reached now. */
  down: Set<string>;
  /** Resolves when the model waits. */
  asked: Promise<void>;
  /** Lets the model answer from now on. */
  answer(): void;
  open(options?: Partial<CoachingOptions>): Promise<Coaching>;
  /** Waits until the first process has failed, and starts new ones until the session's last run has ended. */
  recovered(session: string): Promise<void>;
}

interface FailingOptions extends Partial<CoachingOptions> {
  /** The request, counted from 1, from which on the model waits for `answer()`. Default: the first. */
  waitsAt?: number;
  /** Returns the reply to a request, counted from 1. Default: a text. */
  rules?(calls: number): Reply;
}

function failing(given: FailingOptions = {}): Failing {
  const { waitsAt = 1, rules = (calls) => ({ text: `Answer ${calls}.` }), ...options } = given;
  let now = Date.now();
  let refused = 0;
  const down = new Set<string>();
  const store = memoryStore({ now: () => now });
  const asked = Promise.withResolvers<void>();
  const mayAnswer = Promise.withResolvers<void>();
  let calls = 0;
  const counting = billing({ rules: () => rules(calls) });
  const stream: Billed["stream"] = async function* (request, signals) {
    calls += 1;
    if (calls >= waitsAt) {
      asked.resolve();
      await mayAnswer.promise;
    }
    yield* counting.stream(request, signals);
  };
  const model = Object.create(counting, { stream: { value: stream } }) as Billed;
  const between: CoachingOptions["between"] = async (request, send) => {
    if (![...down].some((path) => request.url.endsWith(path))) return await send(request);
    refused += 1;
    throw new Error("Connection refused");
  };
  const open = async (more: Partial<CoachingOptions> = {}) =>
    await here.coach({ model, store, between, maxSteps: 1, ...options, ...more });
  const openRun = async (session: string) => (await store.sessions.get(session))?.openRun;
  return {
    ...{ user: newUser(), model, down, open, asked: asked.promise },
    answer: () => mayAnswer.resolve(),
    recovered: async (session) => {
      // Each process tries three times to settle a run.
      await expect.poll(() => refused, { timeout: 20_000 }).toBe(3);
      await settled();
      for (;;) {
        const before = refused;
        now += 60_000;
        const of = await open();
        await of.front.runtime.sweep();
        const isOver = async () => (await openRun(session)) === null;
        await expect
          .poll(async () => refused >= before + 3 || (await isOver()), { timeout: 20_000 })
          .toBe(true);
        await settled();
        if (await isOver()) return;
      }
    },
  };
}

/** Settles what processes have left, as the front does each minute. */
async function settledLater({ down, open }: Failing): Promise<Coaching> {
  down.clear();
  await pause(5, "a reservation of 1 ms expires, by the time of the database");
  const of = await open({ ttlMs: 1 });
  expect(await of.front.settle()).toBeGreaterThan(0);
  expect(await of.front.settle()).toBe(0);
  return of;
}

/** The texts that the backend has stored, each with who wrote it. */
async function recorded(of: Coaching, user: string, session: string): Promise<string[]> {
  const messages = await storedMessages(of, user, session);
  return messages.map(({ role, content_text }) => `${role}: ${content_text}`);
}

/** Sends a message, and two more while the model waits, so that the run does not read them. */
async function threeMessages({ open, user, asked }: Failing) {
  const of = await open();
  const first = await of.chat({ message: "first" }, tokenOf(user));
  const session = sessionOf(first);
  await asked;
  const responses = [first];
  for (const message of ["second", "third"])
    responses.push(await of.chat({ message, session_id: session }, tokenOf(user)));
  const leave = async () => {
    await Promise.all(responses.map(({ body }) => body?.cancel()));
  };
  return { session, leave };
}

/** Lets a run answer a message, and end without being settled. Returns its session. */
async function unsettled({ open, user, down, answer, recovered }: Failing): Promise<string> {
  answer();
  down.add("/chat/record");
  const response = await (await open()).chat({ message: "first" }, tokenOf(user));
  await recovered(sessionOf(response));
  await response.body?.cancel();
  down.clear();
  return sessionOf(response);
}

describe("X3 E10 a run that is settled later", () => {
  it("X3 E10 has the messages that it has answered, and not those that the next run begins with", async () => {
    // On a busy machine, the next run may begin while the first process still has the credentials.
    allowPrinted('pawl: The script of "claude-scripted" is out of replies');
    const story = failing();
    const { user, model, down } = story;
    const { session, leave } = await threeMessages(story);
    down.add("/chat/record").add("/chat/abort");
    story.answer();
    await story.recovered(session);
    const of = await settledLater(story);
    expect(await recorded(of, user, session)).toEqual([
      "user: first",
      "assistant: Answer 1.",
      // The next run has no credentials, so it never asks the model.
      "user: second\n\nthird",
    ]);
    expect(await of.budget(user)).toMatchObject({ used: model.billed, held: 0 });
    await leave();
  });

  it("X3 E10 comes before what was recorded in the meantime", async () => {
    const story = failing();
    const { user, model, open } = story;
    const session = await unsettled(story);
    const of = await open();
    await (await of.chat({ message: "second", session_id: session }, tokenOf(user))).text();
    expect(await recorded(await settledLater(story), user, session)).toEqual([
      "user: first",
      "assistant: Answer 1.",
      "user: second",
      "assistant: Answer 2.",
    ]);
    expect(await of.budget(user)).toMatchObject({ used: model.billed, held: 0 });
  });

  it("X3 E10 is charged, and recorded without its text, if its message was redacted", async () => {
    const story = failing();
    const { user, model, open } = story;
    const session = await unsettled(story);
    const { front, ...of } = await open();
    const message = (await logOf(of, session)).find(({ type }) => type === "user_message");
    await front.runtime.redact(session, message?.seq ?? 0, { userId: user });
    expect(await recorded(await settledLater(story), user, session)).toEqual([
      "user: [redacted]",
      "assistant: Answer 1.",
    ]);
    expect(await of.budget(user)).toMatchObject({ used: model.billed, held: 0 });
  });

  it("X3 E10 is charged once if it has begun with several messages", async () => {
    // The second run is charged for its first turn before its last one.
    const story: Failing = failing({
      maxSteps: 2,
      waitsAt: 2,
      rules: (calls) => {
        if (calls === 3) story.down.add("/chat/record");
        return calls % 2 === 1
          ? { tools: [{ name: "get_coaching_notes", input: {} }] }
          : { text: `Answer ${calls}.` };
      },
    });
    const { user, model } = story;
    const { session, leave } = await threeMessages(story);
    story.answer();
    await story.recovered(session);
    const of = await settledLater(story);
    expect(await of.budget(user)).toMatchObject({ used: model.billed, held: 0 });
    const said = (await recorded(of, user, session)).filter((text) => text !== "assistant: ");
    expect(said).toEqual([
      "user: first",
      "user: ",
      "assistant: Answer 2.",
      "user: second\n\nthird",
      "user: ",
      "assistant: Answer 4.",
    ]);
    await leave();
  });

  it.each(["/chat/renew", "nothing"])(
    "X3 E10 has its message at once if it ends before it asks the model, while %s cannot be reached",
    async (path) => {
      const story = failing({
        hooks: [
          {
            name: "refuses",
            beforeRun: () => (refuses ? { stop: { type: "blocked", message: "Not now." } } : undefined),
          },
        ],
      });
      let refuses = path === "nothing";
      const { user, model, down, open } = story;
      down.add(path);
      story.answer();
      const of = await open();
      const first = await of.chat({ message: "first" }, tokenOf(user));
      const session = sessionOf(first);
      await first.text();
      expect(model.requests).toEqual([]);
      expect(await recorded(of, user, session)).toEqual(["user: first"]);
      down.clear();
      refuses = false;
      await (await of.chat({ message: "second", session_id: session }, tokenOf(user))).text();
      expect(await recorded(of, user, session)).toEqual([
        "user: first",
        "user: second",
        "assistant: Answer 1.",
      ]);
      expect(await of.budget(user)).toMatchObject({ used: model.billed, held: 0 });
    },
  );
});
