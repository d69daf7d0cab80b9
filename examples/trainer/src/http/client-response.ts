import type { Json, StoredEvent } from "@pawl/core";
import { applyStep, type Exercise, stepOf, type Workout } from "../workout/index.ts";

/** The outcome of a run, for clients that do not stream. */
export interface ClientResponse {
  /** The trainer's messages, in order. */
  messages: string[];
  /** The active workout after the run; `null` if the run did not create or change one. */
  exercises: Exercise[] | null;
  /** The trainer's question to the user, if it asked one. The next message is the reply. */
  question: { question: string; options: string[] } | null;
}

/** The response body of `POST /agent/chat`. */
export interface ChatAnswer {
  sessionId: string;
  response: ClientResponse;
  /** The number of turns. */
  iterations: number;
  /** Why the run ended. `error` is `true` if it left the session in status `error`. */
  stop: { type: string; message: string; error: boolean };
}

const SHAPES = new Set(["generate_workout", "swap_exercise", "adjust_exercise", "remove_exercise"]);

/**
 * Folds a session's log into the results of its run `runId`.
 *
 * @param events the whole log, because the workout may be older than the run
 */
export async function chatAnswer(
  sessionId: string,
  runId: string,
  events: AsyncIterable<StoredEvent>,
): Promise<ChatAnswer> {
  const response: ClientResponse = { messages: [], exercises: null, question: null };
  const answer: ChatAnswer = {
    sessionId,
    response,
    iterations: 0,
    stop: { type: "interrupted", message: "The run has not ended.", error: true },
  };
  let workout: Workout | undefined;
  let own = false;
  let shaped = false;
  for await (const event of events) {
    if (event.type === "run_started") own = event.data.run_id === runId;
    const step = stepOf(event);
    if (step !== undefined) workout = applyStep(workout, step);
    if (!own) continue;
    if (event.type === "tool_result" && event.data.success && event.data.skipped === undefined) {
      shaped ||= SHAPES.has(event.data.tool_name);
      hear(response, event.data.tool_name, event.data.result);
    }
    if (event.type === "run_ended") {
      const { stop, turns, session_status } = event.data;
      answer.iterations = turns;
      answer.stop = { type: stop.type, message: stop.message, error: session_status === "error" };
    }
  }
  if (shaped && workout !== undefined) response.exercises = [...workout.exercises];
  return answer;
}

function hear(response: ClientResponse, tool: string, result: Json): void {
  const { message, question, options } = Object(result) as Record<string, unknown>;
  if (tool === "message_notify_user" && typeof message === "string") response.messages.push(message);
  if (tool === "message_ask_user" && typeof question === "string") {
    response.question = { question, options: Array.isArray(options) ? options.map(String) : [] };
  }
}
