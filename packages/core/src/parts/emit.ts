import { checkOptions, type OptionKinds } from "../base/check-options.ts";
import { messageOf } from "../base/errors.ts";
import { invalidInput } from "../base/invalid-input.ts";
import type { Json } from "../base/json.ts";
import { jsonLoss } from "../base/json-loss.ts";
import type { DataPart } from "../log/data-part.ts";
import { type EmittedPart, isDataPartName } from "../log/event-parts.ts";
import type { Leg } from "../loop/leg/leg.ts";
import type { Emitter } from "../loop/leg/part-types.ts";
import { openRun } from "../session/state.ts";
import { whyItFails } from "../tools/result-loss.ts";
import { addReport, readersHaveRead } from "./live-reports.ts";
import { reportOnce } from "./tool-mistakes.ts";

/** The longest data of a stored part and of a transient one, in characters of JSON. */
const MOST_PART_CHARS = { stored: 1_000_000, transient: 50_000 };

/** The parts of a leg, which are stored and shown in the order of the calls of `emit()`. */
interface Line {
  /** Settles when the last part has its place among the events that are being stored. */
  placed: Promise<unknown>;
  /** Settles when the last part that is stored has been stored. */
  stored: Promise<unknown>;
  /** The version of the last report or transient part that waiting readers have had the time to read. */
  read: number;
}

const lines = new WeakMap<Leg, Line>();

function emittedLine(leg: Leg): Line {
  const line = lines.get(leg) ?? { placed: Promise.resolve(), stored: Promise.resolve(), read: 0 };
  lines.set(leg, line);
  return line;
}

/**
 * Stores a part of a tool or a hook, or shows it if it is transient. `json` is that of its data, see `Given`.
 * Resolves when it is stored or shown. An invalid part is also reported to `onError`, because
 * the caller may not await the promise.
 *
 * @throws PawlError `invalid_input`
 */
export async function emitPart(
  leg: Leg,
  by: Emitter,
  part: EmittedPart,
  json: Json | undefined,
): Promise<void> {
  const line = emittedLine(leg);
  const event = checkedPart(leg, by, part, json);
  const isTransient = part.transient === true;
  const placed = line.placed.then(async () => {
    if (isTransient) {
      await line.stored;
      // A part of a hook belongs to no call, and is of no use to clients that connect later.
      const ended = by.callId === undefined && { endedAt: leg.log.storedSeq };
      addReport(leg, { event: { type: "transient_part", data: leg.access.hide(event) }, ...ended });
      return {};
    }
    // Readers get stored events before reports that they have not read yet.
    const { version = 0 } = leg.readers.live.reports.at(-1) ?? {};
    if (version > line.read) await readersHaveRead();
    line.read = version;
    await leg.log.barrier();
    const stored = leg.log.add([{ type: "data_part", data: event }]);
    line.stored = stored.catch(() => undefined);
    return { stored };
  });
  line.placed = placed.catch(() => undefined);
  await (await placed).stored;
}

/** Resolves when all parts of a leg are stored or shown. */
export async function allEmitted(leg: Leg): Promise<void> {
  const line = lines.get(leg);
  await line?.placed;
  await line?.stored;
}

const PART: OptionKinds<EmittedPart> = {
  type: {
    mustBe:
      '"data-" and 1 to 195 characters without spaces and colons, e.g. "data-weather", and not data-output, data-artifact, data-role, data-tool-progress or data-tool-status, which are Pawl\'s own parts',
    is: isDataPartName,
    required: true,
    isPublic: true,
  },
  data: "any!",
  id: {
    mustBe: "a text of 1 to 200 characters",
    is: (id) => typeof id === "string" && /^.{1,200}$/s.test(id),
  },
  transient: "boolean",
};

function checkedPart(leg: Leg, by: Emitter, part: EmittedPart, json: Json | undefined): DataPart {
  try {
    if (openRun(leg.log.state) === undefined)
      throw invalidInput("The run has ended, so a hook can emit nothing more.");
    checkOptions("context.emit()", part, PART, { code: "invalid_input" });
    const { type, id, transient = false } = part;
    const data = checkedData(part, json);
    const { length } = JSON.stringify(data);
    const most = MOST_PART_CHARS[transient ? "transient" : "stored"];
    if (length > most) {
      const kind = transient ? "transient part" : "part";
      throw invalidInput(
        `The data of a ${kind} must have at most ${most} characters of JSON; those of "${type}" have ${length}.`,
      );
    }
    return {
      type,
      data,
      ...(id !== undefined && { id }),
      ...(by.callId !== undefined && { call_id: by.callId }),
    };
  } catch (cause) {
    const whose = `${by.callId === undefined ? "The hook" : "The tool"} "${by.name}" of the agent "${leg.run.agent.name}"`;
    const what = messageOf(cause);
    reportOnce(leg, by.name, what, new Error(`${whose} emitted a part that was refused: ${what}`, { cause }));
    throw cause;
  }
}

function checkedData({ type, data }: EmittedPart, json: Json | undefined): Json {
  const loss = data === json ? undefined : lossOfData(data);
  if (loss === undefined && json !== undefined) return json;
  throw invalidInput(`The \`data\` of "${type}" must be a value that JSON can represent; ${loss}.`);
}

/** Describes the first part of some data that JSON would lose. A getter of the data may throw. */
function lossOfData(data: unknown): string | undefined {
  try {
    return jsonLoss(data, "data");
  } catch (cause) {
    return whyItFails(cause);
  }
}
