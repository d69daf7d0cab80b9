import type { ViewState } from "@pawl/core/view";
import { backoffMs, pause } from "../wire/backoff.ts";
import { readData } from "../wire/read-events.ts";
import { Refused } from "../wire/request.ts";
import { type AspEvent, parseAspEvent } from "./asp-event.ts";
import { beforeOutput, fromStored } from "./asp-state.ts";
import { type AspTalk, change, fail, newReader } from "./asp-talk.ts";
import { type AspView, reduceAsp } from "./asp-view.ts";
import { BrokenOff } from "./asp-wire.ts";

/** How the last run of a session that was loaded has ended. */
interface LoadedRun {
  id: string;
  /** Whether the run failed, or was stopped before its answer was complete. */
  isIncomplete: boolean;
}

// As `canBeRetried` of core, which a page should not load for these words.
const INCOMPLETE: readonly unknown[] = ["aborted", "interrupted", "session_over", "broken_off"];

/** How often the stream of one run may end before its run does. */
const MOST_FAILURES = 4;

/**
 * Loads the session's history. While its run is in progress, reads the run's output from its beginning, and
 * then loads the history again. Resolves to `undefined` if that fails.
 */
export async function load(talk: AspTalk): Promise<LoadedRun | undefined> {
  const signal = newReader(talk);
  const { reader } = talk;
  const { sessionId = "" } = talk.facts;
  change(talk, { loading: true, error: undefined });
  // Once the last event has arrived, the user may send a message, whose stream has a reader of its own.
  const isLeft = () => signal.aborted || talk.reader !== reader;
  const streams = { runId: "", failures: 0 };
  try {
    for (;;) {
      const { pending, run, ...stored } = await talk.wire.snapshot(sessionId, signal);
      if (isLeft()) return undefined;
      const view = fromStored({ ...stored, pending, run });
      change(talk, { view });
      const response = run?.open ? await talk.wire.replay(sessionId, signal) : undefined;
      if (isLeft()) return undefined;
      change(talk, { loading: false, reading: response !== undefined });
      if (run === undefined || response === undefined) return loadedRun(run);
      await read(talk, response, signal, beforeOutput(view, run));
      if (isLeft()) return undefined;
      await beforeNext(streams, run.id, signal);
    }
  } catch (error) {
    if (!isLeft()) fail(talk, error, signal);
    return undefined;
  }
}

function loadedRun(run: ViewState["run"]): LoadedRun {
  const isIncomplete = run?.failed === true || INCOMPLETE.includes(run?.stop?.type);
  return { id: run?.id ?? "", isIncomplete };
}

/** Waits before the history is loaded again, if the stream of its run ends before the run itself. */
async function beforeNext(
  streams: { runId: string; failures: number },
  runId: string,
  signal: AbortSignal,
): Promise<void> {
  streams.failures = streams.runId === runId ? streams.failures + 1 : 0;
  streams.runId = runId;
  const { failures } = streams;
  if (failures === MOST_FAILURES) throw new BrokenOff("The run's stream ends before the run.");
  if (failures > 0) await pause(backoffMs(failures), signal);
}

/**
 * Applies the events of a stream. `before` is the view that its first event continues. Default: the current
 * view.
 *
 * @throws BrokenOff if the stream ends without a last event.
 */
export async function read(
  talk: AspTalk,
  response: Response,
  signal: AbortSignal,
  before?: AspView,
): Promise<void> {
  let begin = before;
  let hasEvents = false;
  let isOver = false;
  try {
    // Reads to the end of the response: leaving earlier looks to the server as if the client were gone.
    for await (const data of readData(response, talk.silenceMs)) {
      if (signal.aborted) return;
      const event = parseAspEvent(data);
      if (event === undefined || isOver) continue;
      hasEvents = true;
      isOver = event.type === "message_stop" || event.type === "error";
      take(talk, event, isOver, begin);
      begin = undefined;
    }
  } catch (cause) {
    if (!isOver) throw new BrokenOff("The stream broke off.", { cause });
  }
  if (isOver || signal.aborted) return;
  if (hasEvents) throw new BrokenOff("The stream ended before its last event.");
  throw new Refused(
    response.status,
    "protocol",
    "The server's stream has no events of ASP v2. Its handler() must have the dialect asp() of @pawl/sse/dialects.",
  );
}

function take(talk: AspTalk, event: AspEvent, isOver: boolean, begin: AspView = talk.facts.view): void {
  const isPiece = event.type === "text" || event.type === "thinking";
  const view = reduceAsp(begin, event);
  if (view !== talk.facts.view || isOver)
    change(
      talk,
      { view, ...(isOver && { reading: false }) },
      isPiece || event.type === "ack" ? "soon" : "now",
    );
  talk.onEvent(event);
}
