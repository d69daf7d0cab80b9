import { approval, jsonSchema, tool } from "@pawl/core";
import { type Reply, scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import { agUi } from "../../../src/index.ts";
import { type Agent, connect, errorOf, httpAgent, reloaded, run, say, talk } from "../../support/agents.ts";
import { handModel } from "../../support/hand-model.ts";
import { type Served, serve } from "../../support/served.ts";

const dialect = agUi();
const asks = (id: string): Reply => ({ tools: [{ id, name: "confirm", input: {} }] });
const broken: Reply = { text: "", fault: { status: 400, type: "invalid_request_error" } };
const cancelled = ({ pendingInterrupts }: Agent) =>
  pendingInterrupts.map(({ id }) => ({ interruptId: id, status: "cancelled" }));
const resolved = ({ pendingInterrupts }: Agent, payload: unknown = { yes: true }) =>
  pendingInterrupts.map(({ id }) => ({ interruptId: id, status: "resolved", payload }));
const expiring = tool({
  name: "confirm",
  description: "Asks.",
  input: jsonSchema<object>({ type: "object" }),
  suspends: { answer: jsonSchema({}), expires: { afterMs: 100, default: { yes: false } } },
});

describe.each(["0.0.59", "1.0"] as const)(
  "K3 an interrupt that was closed elsewhere, AG-UI %s",
  (version) => {
    /** A page that shows an open question, which is closed without it. */
    const closed: [string, (rest: Reply[]) => Promise<{ served: Served; page: Agent }>, string[]][] = [
      [
        "by its answer, after which the run failed",
        async (rest) => {
          expectPrinted("pawl: invalid_request_error");
          const served = await serve(scriptedModel([asks("c1"), broken, ...rest]), { dialect });
          const page = httpAgent(version, served);
          await say(page, "Go");
          expect(errorOf(await run(page, { resume: resolved(page) }))).toBeDefined();
          return { served, page };
        },
        [],
      ],
      [
        "in another tab",
        async (rest) => {
          const served = await serve(scriptedModel([asks("c1"), { text: "Done." }, ...rest]), { dialect });
          const page = httpAgent(version, served);
          await say(page, "Go");
          const other = await reloaded(version, served, page.threadId);
          await run(other, { resume: resolved(other) });
          return { served, page };
        },
        ["assistant Done."],
      ],
      [
        "because it expired",
        async (rest) => {
          const script = [asks("c1"), { text: "Nobody was there." }, ...rest];
          const model = scriptedModel(script);
          const served = await serve(model, { dialect, tools: [expiring] });
          const page = httpAgent(version, served);
          await say(page, "Go");
          await expect.poll(async () => talk(await reloaded(version, served, page.threadId))).toHaveLength(4);
          return { served, page };
        },
        ["assistant Nobody was there."],
      ],
    ];

    describe.each(closed)("%s", (_how, made, said) => {
      it("is no longer in the way of a message", async () => {
        const { served, page } = await made([{ text: "Well." }]);
        expect(page.pendingInterrupts).toHaveLength(1);
        expect(errorOf(await say(page, "Never mind", { resume: cancelled(page) }))).toBeUndefined();
        expect(talk(page).slice(3)).toEqual([...said, "user Never mind", "assistant Well."]);
        expect([page.pendingInterrupts, talk(await reloaded(version, served, page.threadId))]).toEqual([
          [],
          talk(page),
        ]);
      });

      it("is dropped by cancelling it, which begins nothing", async () => {
        const { served, page } = await made([{ text: "Well." }]);
        expect(errorOf(await run(page, { resume: cancelled(page) }))).toBeUndefined();
        expect([page.pendingInterrupts, talk(page).slice(3)]).toEqual([[], said]);
        expect(talk(await reloaded(version, served, page.threadId))).toEqual(talk(page));
        const again = await run(page);
        expect(errorOf(again)).toBeUndefined();
        expect(talk(page).slice(3)).toEqual(said.length > 0 ? said : ["assistant Well."]);
      });

      it("takes no other answer", async () => {
        const { page } = await made([{ text: "Well." }]);
        page.pendingInterrupts = page.pendingInterrupts.map(({ id, reason }) => ({ id, reason }));
        const other = await run(page, { resume: resolved(page, { yes: "no" }) });
        expect(other.at(-1)).toMatchObject({ type: "RUN_ERROR", code: "already_answered" });
        const both = await say(page, "No!", { resume: resolved(page, { yes: "no" }) });
        expect(both.at(-1)).toMatchObject({ type: "RUN_ERROR", code: "already_answered" });
      });
    });

    it("does not close the question that the run has asked since", async () => {
      const script = [asks("c1"), asks("c2"), { text: "Done." }];
      const served = await serve(scriptedModel(script), { dialect });
      const page = httpAgent(version, served);
      await say(page, "Go");
      const other = await reloaded(version, served, page.threadId);
      await run(other, { resume: resolved(other) });
      const late = await run(page, { resume: resolved(page, { yes: false }) });
      expect(late.at(-1)).toMatchObject({ type: "RUN_ERROR", code: "already_answered" });
      await run(page, { resume: cancelled(page) });
      expect(page.pendingInterrupts).toEqual(other.pendingInterrupts);
      expect(talk(page)).toEqual(talk(other));
      await run(page, { resume: resolved(page) });
      expect(talk(page).at(-1)).toBe("assistant Done.");
    });

    it("by a message, brings that message when it is cancelled", async () => {
      const served = await serve(scriptedModel([asks("c1"), { text: "Hello." }]), { dialect });
      const page = httpAgent(version, served);
      await say(page, "Go");
      const other = await reloaded(version, served, page.threadId);
      await say(other, "Hi", { resume: cancelled(other) });
      await run(page, { resume: cancelled(page) });
      expect([page.pendingInterrupts, talk(page).slice(-2)]).toEqual([[], ["user Hi", "assistant Hello."]]);
    });

    const approving: Reply = { tools: [{ id: "c1", name: "look", input: {} }] };
    it.each([
      ["a question", asks("c1"), { yes: true }, [], 'tool {"yes":true}'],
      ["an approval", approving, { approved: true }, [approval({ when: ["look"] })], "tool found nothing"],
      ["a denial", approving, { approved: false }, [approval({ when: ["look"] })], "tool This did not work."],
    ] as const)(
      "with the answer to %s, after which the run fails: the same answer is the Retry button",
      async (_name, first, answer, hooks, result) => {
        expectPrinted(/pawl: invalid_request_error/);
        const model = scriptedModel([first, broken, broken, { text: "Well." }]);
        const served = await serve(model, { dialect, hooks: [...hooks] });
        const page = httpAgent(version, served);
        await say(page, "Go");
        const other = await reloaded(version, served, page.threadId);
        const resume = resolved(page, answer);
        expect(errorOf(await run(page, { resume }))).toBeDefined();
        const no = resolved(other, "approved" in answer ? { approved: !answer.approved } : { yes: false });
        expect((await run(other, { resume: no })).at(-1)?.code).toBe("already_answered");
        expect(model.requests).toHaveLength(2);
        expect(errorOf(await run(page, { resume }))).toBeDefined();
        expect(errorOf(await run(page, { resume }))).toBeUndefined();
        expect(talk(page).slice(2)).toEqual([result, "assistant Well."]);
        expect([model.requests.length, page.pendingInterrupts]).toEqual([4, []]);
        expect(talk(await reloaded(version, served, page.threadId))).toEqual(talk(page));
      },
    );

    it("with the same answer in two tabs: the second one shows the thread, and begins nothing", async () => {
      const model = scriptedModel([asks("c1"), { text: "Done." }]);
      const served = await serve(model, { dialect });
      const page = httpAgent(version, served);
      await say(page, "Go");
      const other = await reloaded(version, served, page.threadId);
      await run(other, { resume: resolved(other) });
      expect(errorOf(await run(page, { resume: resolved(page) }))).toBeUndefined();
      expect([talk(page), page.pendingInterrupts, model.requests.length]).toEqual([talk(other), [], 2]);
    });

    it("by its answer, after which the user stopped the run: the same answer begins nothing", async () => {
      const model = handModel();
      const served = await serve(model, { dialect });
      const page = httpAgent(version, served);
      const saying = say(page, "Go");
      (await model.turn()).end([{ id: "c1", name: "confirm", input: {} }]);
      await saying;
      const other = await reloaded(version, served, page.threadId);
      const going = run(other, { resume: resolved(other) });
      (await model.turn()).say("We");
      await served.ask(`/sessions/${encodeURIComponent(page.threadId)}/stop`, { method: "POST" });
      await going;
      await run(page, { resume: resolved(page) });
      expect([talk(page), page.pendingInterrupts]).toEqual([talk(other), []]);
      const log = await served.store.sessions.list({ userId: "ada" });
      expect(log[0]?.openRun).toBeNull();
    });

    it("in an earlier message: its answer does not retry the last one", async () => {
      expectPrinted("pawl: invalid_request_error");
      const model = scriptedModel([asks("c1"), { text: "Done." }, broken, { text: "Never." }]);
      const served = await serve(model, { dialect });
      const page = httpAgent(version, served);
      await say(page, "Go");
      const other = await reloaded(version, served, page.threadId);
      await run(other, { resume: resolved(other) });
      await say(other, "More");
      expect((await run(page, { resume: resolved(page) })).at(-1)?.code).toBe("already_answered");
      expect(model.requests).toHaveLength(3);
    });

    it("never existed: is refused", async () => {
      const served = await serve(scriptedModel([asks("c1"), { text: "Hello." }]), { dialect });
      const page = httpAgent(version, served);
      await say(page, "Go");
      for (const interruptId of ["q9999", "other"]) {
        const resume = [{ interruptId, status: "cancelled" }, ...cancelled(page)];
        expect((await run(page, { resume })).at(-1)?.code).toBe("unknown_call");
      }
    });
  },
);

it("F26 the time of expiry is in the interrupt of clients of 1.0, and in the metadata for all", async () => {
  for (const version of ["0.0.59", "1.0"] as const) {
    const expires = { afterMs: 60_000, default: { yes: false } };
    const long = tool({
      name: "confirm",
      description: "Asks.",
      input: jsonSchema<object>({ type: "object" }),
      suspends: { answer: jsonSchema({}), expires },
    });
    const world = await serve(scriptedModel([asks("c1")]), { dialect, tools: [long] });
    const agent = httpAgent(version, world);
    await say(agent, "Go");
    const page = await reloaded(version, world, agent.threadId);
    await connect(page);
    for (const { pendingInterrupts } of [agent, page]) {
      const [question] = pendingInterrupts as { expiresAt?: string; metadata?: { expiresAt?: string } }[];
      expect(question?.metadata?.expiresAt).toMatch(/^20\d\d-/);
      expect(question?.expiresAt).toBe(version === "1.0" ? question?.metadata?.expiresAt : undefined);
    }
  }
});
