import { readUIMessageStream as read7, uiMessageChunkSchema as schema7 } from "ai";
import { readUIMessageStream as read6, uiMessageChunkSchema as schema6 } from "ai-6";
import { uiMessageChunkSchema as schema6First } from "ai-6-first";
import { uiMessageChunkSchema as schema7First } from "ai-7-first";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isLost } from "../../../../client/src/ai-sdk.ts";
import { agUiEncoder } from "../../../src/dialects/ag-ui/ag-ui-encoder.ts";
import { asp, coach, metrics, trainer } from "../../../src/dialects.ts";
import { agUi, aiSdk, type Dialect } from "../../../src/index.ts";
import {
  type Conversation,
  contextOf,
  conversation,
  converse,
  type MadeRun,
  upTo,
} from "../../support/random-runs.ts";
import { type Sent, sendsTwice } from "../../support/sends-twice.ts";
import { asTheyCome } from "../../support/sessions/log.ts";

type Told = Sent & { type: string };

/** What a leg is told, live or out of the log. `again`: to a page that connects after the event of that seq. */
function tell(
  dialect: Pick<Dialect, "encoder">,
  made: MadeRun,
  leg: MadeRun["legs"][number],
  { cuts, again }: { cuts?: readonly number[]; again?: number } = {},
): string[] {
  const context = contextOf(made, leg);
  const connected = again !== undefined && { again: true, cursor: again };
  const encoder = dialect.encoder({ ...context, ...connected });
  const stored = made.stored.filter(({ seq }) => seq > leg.afterSeq && seq <= leg.upto);
  const frames = [...encoder.begin()];
  for (const event of cuts === undefined ? stored : asTheyCome(stored, cuts, again)) {
    frames.push(...encoder.encode(event));
    if (encoder.over) break;
  }
  frames.push(...encoder.end());
  for (const frame of frames) expect(frame).toMatch(/^data: [^\n\r]*\n\n$/);
  expect(frames.join("")).not.toContain("SECRET");
  expect(sendsTwice(parsed(frames.map((frame) => frame.slice(6, -2))))).toEqual([]);
  return frames.map((frame) => frame.slice(6, -2));
}

const parsed = (frames: readonly string[]) =>
  frames.filter((frame) => frame !== "[DONE]").map((frame) => JSON.parse(frame) as Told);

/** Every leg as it happened, and the whole run once more out of the log. */
function eachWay(dialect: Dialect, made: MadeRun, { cuts }: Conversation) {
  const [first] = made.legs;
  if (first === undefined) throw new Error("There is no run.");
  const whole = { ...first, upto: made.legs.at(-1)?.upto ?? 0 };
  return {
    whole,
    live: made.legs.map((leg) => tell(dialect, made, leg, { cuts })),
    legs: made.legs.map((leg) => tell(dialect, made, leg)),
    replay: [tell(dialect, made, whole)],
    late: [tell(dialect, made, whole, { cuts })],
  };
}

const check = (property: (talk: Conversation, made: MadeRun) => Promise<void>, numRuns = 40) =>
  fc.assert(
    fc.asyncProperty(conversation, async (talk) => await property(talk, await converse(talk))),
    { numRuns },
  );

const dialects: [string, Pick<Dialect, "encoder">][] = [
  ...[aiSdk(), agUi(), coach(), trainer(), asp(), metrics()].map(
    (dialect): [string, Pick<Dialect, "encoder">] => [dialect.name, dialect],
  ),
  // After a tool message, and for a page whose thread is out of date.
  [
    "AG-UI, with snapshots",
    { encoder: (context) => agUiEncoder(context, { isOne: true, tools: [], restates: true }) },
  ],
];

it.each(dialects)(
  "W4 %s sends nothing that its client has, live and to a page that connects at any event",
  async (_name, dialect) =>
    await check(async ({ cuts }, made) => {
      for (const leg of made.legs) {
        tell(dialect, made, leg, { cuts });
        for (let again = leg.afterSeq; again <= leg.upto; again += 1) {
          tell(dialect, made, leg, { again });
          tell(dialect, made, leg, { cuts, again });
        }
      }
    }, 20),
);

describe("the AI SDK's dialect", () => {
  const TYPES = [
    "start",
    "start-step",
    "finish-step",
    "finish",
    "error",
    "abort",
    "text-start",
    "text-delta",
    "text-end",
    "reasoning-start",
    "reasoning-delta",
    "reasoning-end",
    "message-metadata",
    "tool-input-start",
    "tool-input-available",
    "tool-approval-request",
    "tool-output-available",
    "tool-output-error",
    "tool-output-denied",
    "data-tool-status",
    "data-tool-progress",
    "source-url",
    "source-document",
    "data-artifact",
  ];
  const versions = { 6: { read: read6, schema: schema6 }, 7: { read: read7, schema: schema7 } };

  async function fold(version: 6 | 7, legs: readonly string[][]): Promise<unknown> {
    const { read, schema } = versions[version];
    let message: { parts: { type: string }[] } | undefined;
    for (const leg of legs) {
      const chunks = parsed(leg);
      for (const chunk of chunks) {
        expect((await schema().validate?.(chunk))?.success).toBe(true);
        if (chunk.type === "reset-step") continue;
        expect(TYPES).toContain(chunk.type);
        // The first versions refuse unknown fields.
        const first = version === 6 ? schema6First : schema7First;
        expect((await first().validate?.(chunk))?.success).toBe(true);
      }
      const failed = chunks.filter(({ type }) => type !== "error");
      const stream = ReadableStream.from(failed) as never;
      const reading = (read as typeof read7)({
        stream,
        terminateOnError: true,
        ...(message && { message: message as never }),
      });
      for await (const state of reading) message = state as never;
    }
    return shown(message);
  }

  /** What a page shows. Ids of parts are names of the stream's; what an approval was answered with, the page knows itself. */
  function shown(message: { parts: { type: string }[] } | undefined): unknown {
    const parts = message?.parts.filter((part) => !isLost(part)) ?? [];
    return {
      ...message,
      parts: JSON.parse(JSON.stringify(parts))
        .filter(({ type }: { type: string }) => type !== "step-start")
        .map(({ approval, ...part }: { approval?: object }) => ({ ...part, id: undefined })),
    };
  }

  /** The assistant's message as a page loads it. */
  function loaded({ stored }: MadeRun): unknown {
    const { before, facts } = upTo(stored, Number.POSITIVE_INFINITY);
    const load = aiSdk().history as NonNullable<Dialect["history"]>;
    const { messages } = load(before, "t", facts) as { messages: { role: string }[] };
    return shown(messages.find(({ role }) => role === "assistant") as never);
  }

  it.each([
    [6, "mark"],
    [7, "mark"],
    [7, "reset"],
  ] as const)(
    "W2 W4 version %i makes the same message of it, live, in legs and out of the log (%s)",
    async (version, lostText) =>
      await check(async (talk, made) => {
        const ways = eachWay(aiSdk({ lostText }), made, talk);
        const expected = await fold(version, ways.replay);
        for (const way of [ways.live, ways.legs, ways.late])
          expect(await fold(version, way)).toEqual(expected);
        for (const leg of ways.live) expect(leg.at(-1)).toBe("[DONE]");
        expect(loaded(made)).toEqual(expected);
      }),
  );
});

describe.each<[string, (text: "live" | "settled") => Dialect, (event: Told) => string, RegExp]>([
  [
    "coach",
    (text) => coach({ text }),
    (event) => Object.keys(event).join(),
    /^(text|error|sessionCompleted|modeChange|arcCompleted|toolCall|roundBoundary|showPulseCheck|showOptions)$/,
  ],
  [
    "trainer",
    () => trainer(),
    ({ type }) => type,
    /^(status|knowledge|done|error|look|broken|confirm|gated|page)$/,
  ],
  [
    "ASP v2",
    (text) => asp({ text }),
    ({ type }) => type,
    /^(ack|thinking|text|tool|tool_result|message_stop|error)$/,
  ],
  [
    "metrics",
    (text) => metrics({ text }),
    ({ type }) => type,
    /^(text|metric|plan|review|clarification|done|error)$/,
  ],
])("the dialect %s", (_name, dialect, nameOf, allowed) => {
  /** Pieces of one text as one. */
  const joined = (legs: readonly string[][]) =>
    legs.map((leg) => {
      const events: Told[] = [];
      for (const event of parsed(leg)) {
        const last = events.at(-1);
        expect(nameOf(event)).toMatch(allowed);
        const follows = last !== undefined && "text" in event && "text" in last && last.type === event.type;
        if (follows) events.splice(-1, 1, { ...last, text: `${last.text}${event.text}` });
        else events.push(event);
      }
      return events;
    });

  it("W2 W4 sends the same live and from the log", async () =>
    await check(async (talk, made) => {
      const ways = eachWay(dialect("settled"), made, talk);
      expect(joined(ways.live)).toEqual(joined(ways.legs));
      expect(joined(ways.late)).toEqual(joined(ways.replay));
    }));

  it("sends the same live, or ends with an error if the text was void", async () =>
    await check(async (talk, made) => {
      const ways = eachWay(dialect("live"), made, talk);
      const legs = joined(ways.legs);
      for (const [at, live] of joined(ways.live).entries()) {
        if (JSON.stringify(live.at(-1)).includes("Please reload")) continue;
        expect(live).toEqual(legs[at]);
      }
    }));
});
