import fc from "fast-check";
import { type Decides, decisions } from "./decide/decisions.ts";

/** The tools of the agents in random sessions, see `tools.ts`. */
export const CALLS = [
  ...["look", "broken", "confirm", "gated", "page", "gatedPage", "gatedConfirm", "chain"],
  ...["expiring", "busy", "busy", "below", "offered", "last"],
  ...["transfer_to_reader", "transfer_to_writer"],
] as const;

/** One answer of the model. */
export interface Turn {
  thinking: string;
  /** Blank: its calls come alone. */
  text: string;
  calls: readonly string[];
  /** Attempts that fail before it, each with the text that it gets to say. */
  fails: readonly string[];
  /** The model fails for good, so that the run ends. */
  broken: boolean;
}

/** What users do where a session has settled, or while a tool works. */
export interface Move {
  do: "answer" | "one" | "message" | "refuse" | "stop" | "expire" | "retry" | "redact" | "nothing";
  yes: boolean;
  /** Which question or event, among those that there are. */
  which: number;
  /** By a page that has just been loaded. */
  reloads: boolean;
}

/** A session of a user, and how its events reach a page. */
export interface Plan {
  turns: readonly Turn[];
  moves: readonly Move[];
  /** What users do while the tool `busy` works. */
  meanwhile: readonly Move[];
  whenBusy: "queue" | "interrupt";
  /** A hook asks before the first run. */
  asksFirst: boolean;
  /** The last answers have searched the web, and cite what they found. */
  cites: boolean;
  /** The agent has roles, which hand over to each other. */
  roles: boolean;
  /** What hooks decide; without it, there are no such hooks. */
  decides?: Decides | undefined;
  cuts: readonly number[];
}

const words = fc.string({
  unit: fc.constantFrom("a", "ß", "🦊", " ", "\n", "\u2028", '"', "\\"),
  maxLength: 8,
});

const turn = fc.record<Turn>({
  thinking: fc.oneof({ weight: 2, arbitrary: fc.constant("") }, { weight: 1, arbitrary: words }),
  text: fc.oneof({ weight: 2, arbitrary: fc.constant("") }, { weight: 3, arbitrary: words }),
  calls: fc.array(fc.constantFrom(...CALLS), { minLength: 1, maxLength: 3 }),
  fails: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(words, { maxLength: 2 }) },
  ),
  broken: fc.integer({ min: 0, max: 7 }).map((one) => one === 7),
});

const moveOf = (...kinds: Move["do"][]) =>
  fc.record<Move>({
    do: fc.constantFrom(...kinds),
    yes: fc.integer({ min: 0, max: 3 }).map((one) => one > 0),
    which: fc.nat(7),
    reloads: fc.integer({ min: 0, max: 3 }).map((one) => one === 3),
  });

export const plans: fc.Arbitrary<Plan> = fc.record({
  turns: fc.array(turn, { minLength: 1, maxLength: 6 }),
  moves: fc.array(
    moveOf(
      ...(["answer", "answer", "answer", "one", "one", "message", "refuse"] as const),
      ...(["stop", "expire", "retry", "retry", "redact"] as const),
    ),
    { minLength: 1, maxLength: 7 },
  ),
  meanwhile: fc.array(moveOf("nothing", "message", "refuse", "stop", "one"), { maxLength: 3 }),
  whenBusy: fc.constantFrom("queue", "interrupt"),
  asksFirst: fc.integer({ min: 0, max: 7 }).map((one) => one === 7),
  cites: fc.boolean(),
  roles: fc.boolean(),
  // `freq`: one of three sessions has no such hooks.
  decides: fc.option(decisions, { nil: undefined, freq: 3 }),
  cuts: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 12 }),
});
