import { guardrail, type Hook, jsonSchema } from "@pawl/core";
import { type Decides, type Decision, decisionOf, mark } from "./decisions.ts";

/** Tools that run at a page, which gets their input. */
const AT_PAGES = ["page", "gatedPage", "offered"];

/** Tools whose question shows their input to the user, unless a hook hides it. */
const SHOWS_INPUT = [...AT_PAGES, "confirm", "gated", "gatedConfirm", "expiring"];

const approved = jsonSchema({
  type: "object",
  properties: { approved: { type: "boolean" }, reason: { type: "string" } },
  required: ["approved"],
});

type Decided = (written: unknown) => { n: number; decision: Decision };

/** The hooks of a session that decide. */
export function decidingHooks(decides: Decides): Hook[] {
  const of: Decided = (written) => {
    const { n = 0 } = Object(written);
    return { n, decision: decisionOf(decides, n) };
  };
  return [
    guardOf(decides),
    changes(of),
    adds(of),
    reviews(of),
    strict(of),
    ...(decides.holds ? [holder] : []),
  ];
}

function guardOf({ every, beside }: Decides): Hook {
  return guardrail({
    name: "guard",
    beside,
    ...(every > 0 && { every }),
    input: ({ text }) => (text.includes("@4711-REFUSED") ? { block: "Not this." } : undefined),
    output: ({ kind, text, value }) => {
      if (/@4711-(BLOCK|STOP)/.test(text)) return { block: "Not that." };
      if (kind === "text") return { replace: text.replaceAll(/@4711-MASK-\d*/g, "***") };
      const isCard = kind === "tool_input" && text.includes("@4711-CARD");
      return isCard ? { replace: { ...Object(value), card: "***" } } : undefined;
    },
  });
}

/** Whether pages get the input of a call that they may not have otherwise. */
const isSeen = (tool: string, shown: boolean | undefined) =>
  shown === undefined ? SHOWS_INPUT.includes(tool) : !shown && AT_PAGES.includes(tool);

/** Changes inputs, and denies or answers calls. */
const changes = (of: Decided): Hook => ({
  name: "changes",
  beforeTool: ({ arguments: written, input, tool }) => {
    const { n, decision } = of(written);
    const edit = (kind: string, shown?: boolean) => ({
      input: { ...Object(input), more: mark(isSeen(tool.name, shown) ? "ASKED" : kind, n) },
      ...(shown !== undefined && { shown }),
    });
    switch (decision) {
      case "tell":
        return edit("TOLD");
      case "show":
        return edit("SHOWN", true);
      case "hide":
      case "both":
        return edit("HIDDEN", false);
      case "deny":
        return { deny: "Not this call." };
      case "answer":
        return { result: { instead: n } };
      case "skip":
        return { result: { instead: n }, skipped: "gated" };
      default:
        return undefined;
    }
  },
});

/** Shows what it changes after another hook has hidden what it had changed. */
const adds = (of: Decided): Hook => ({
  name: "adds",
  beforeTool: ({ arguments: written, input }) =>
    of(written).decision === "both" ? { input: { ...Object(input), also: 1 }, shown: true } : undefined,
});

/** Asks the user, whose answer is a part of the input. */
const reviews = (of: Decided): Hook => ({
  name: "reviews",
  guards: true,
  beforeTool: ({ arguments: written, input, answer, tool }) => {
    const { decision } = of(written);
    if (decision !== "review") return undefined;
    const payload = { tool: tool.name, input: Object(input) };
    if (answer === undefined) return { ask: { kind: "approval", payload, answer: approved } };
    const { approved: isApproved, reason } = Object(answer);
    return isApproved ? { input: { ...Object(input), reason } } : { deny: "Not approved." };
  },
});

const failure = () => new Error(mark("ERROR", 0));

/** Lets nothing pass if it fails. */
const strict = (of: Decided): Hook => ({
  name: "strict",
  guards: true,
  beforeTool: ({ arguments: written }) => {
    if (of(written).decision === "fail") throw failure();
    return undefined;
  },
  afterTool: ({ input }) => {
    const { n, decision } = of(input);
    if (decision === "failAfter") throw failure();
    return decision === "maskResult" ? { result: { n, found: "***" } } : undefined;
  },
  afterTurn: ({ calls }) => {
    if (calls.some((call) => of(call.arguments).decision === "failTurn")) throw failure();
    return undefined;
  },
});

/** Gets each whole answer before a reader does. */
const holder: Hook = {
  name: "holder",
  guards: true,
  afterModel: ({ content }) => {
    if (JSON.stringify(content).includes("@4711-UNSAID")) throw failure();
    return undefined;
  },
};
