import type { Json, SessionEvent } from "@pawl/core";
import type { AnyAgent, OutputOf, ToolTypesOf } from "@pawl/core/view";
import { type AgentState, type Facts, type ShownOutput, stateOf } from "../state/agent-state.ts";
import { type Conversation, failOlder, failureOf, newConversation, update } from "../state/conversation.ts";
import type { Library, ListedSession } from "../wire/library.ts";
import { SILENCE_MS } from "../wire/read-events.ts";
import { Refused, type WireOptions } from "../wire/request.ts";
import { wire } from "../wire/wire.ts";
import { around } from "./around.ts";
import { checkArgument, checkClientOptions } from "./check-client.ts";
import { offers, ownTool, type PageTools, withoutOwn } from "./page-tools.ts";
import type { AnswerOf, AnyQuestions, QuestionOf } from "./question-types.ts";
import { watchAgain } from "./reading.ts";
import type { Prepare } from "./send-files.ts";
import { type SendOptions, sendAnswer, sendMessage, sendRetry, sendStop } from "./submit.ts";
import type { AnyTools, ToolTypes, TypedMessage } from "./tool-types.ts";

/** Options of `createAgentClient()`. `T` are the types of the agent's tools. */
export interface AgentClientOptions<T = AnyTools> extends WireOptions {
  /** Id of the session to open. Default: a new session, which begins with the first message. */
  sessionId?: string | undefined;
  /**
   * Called with the session's id when the first message begins one or another session is opened, and with
   * `undefined` for a new conversation. Store the id and pass it as `sessionId` after a reload, see
   * {@link sessionInUrl}.
   */
  onSession?(sessionId: string | undefined): void;
  /** Called with each event once, in order: stored events, and live ones such as pieces of text. */
  onEvent?(event: SessionEvent): void;
  /**
   * The tools that this page runs for the agent, by name. Their calls are not in the state's `pending`. Each
   * is run by one tab of a browser, and its first result counts. Default: none.
   */
  tools?: PageTools<T> | undefined;
  /**
   * How many messages are loaded when a session is opened, and by each
   * {@link AgentClient.loadOlder}, 1 to 200. The server sends whole runs, so there may be a few more.
   * Default: 50.
   */
  pageSize?: number | undefined;
  /**
   * Milliseconds without data or a heartbeat after which a connection counts as broken. Also the timeout of a
   * request. Default: 45,000 for requests; for streams, three of the heartbeats that the server announces, or
   * 45,000 if it announces none.
   */
  silenceMs?: number;
  /** Returns a new, unique id for a message. Default: 32 random hexadecimal digits. */
  newId?(): string;
}

/**
 * A conversation with an agent: its state to subscribe to, and the user's actions. `T` are the types of the
 * agent's tools, `Output` that of its output, and `Q` those of its questions.
 */
export interface AgentClient<T = AnyTools, Output = Json, Q = AnyQuestions> {
  /** Returns the current state: the same object until something changes. */
  getState(): TypedState<T, Output, Q>;
  /** Calls `listener` after every change of the state. Returns a function that unsubscribes it. */
  subscribe(listener: () => void): () => void;
  /**
   * Sends a message. The first message of a new conversation begins its session. Resolves to whether the
   * server accepted the message; if not, `state.error` has the reason and the text. Resolves to `false` at
   * once if the text is blank and there are no files, or if another message or an answer is in flight.
   *
   * `files` are uploaded first: pictures, PDFs and texts. The message is shown meanwhile, and removed if one
   * of them is refused.
   */
  send(text: string, options?: SendOptions): Promise<boolean>;
  /**
   * Answers a pending question. Resolves to whether the server accepted the answer: only the first answer to
   * a question counts. If a call may ask more than once, pass `question`, the `seq` of the question that the
   * user saw.
   */
  answer(callId: string, value: AnswerOf<Q>, question?: number): Promise<boolean>;
  /**
   * Runs the last message again, after its run failed, was stopped or was interrupted. The new answer
   * replaces the one that broke off. Resolves to whether the server accepted the retry; if not, `state.error`
   * has the reason. Two calls make one run, even from two tabs.
   */
  retry(): Promise<boolean>;
  /**
   * Answers a question by reporting that a tool of this page failed. The model reads `error`, at most 10,000
   * characters, as the call's error. Otherwise works like {@link AgentClient.answer}. To deny an approval,
   * answer it with `{ approved: false }` instead.
   */
  fail(callId: string, error: string, question?: number): Promise<boolean>;
  /** Asks the run to stop. The state shows when it has stopped. */
  stop(): Promise<void>;
  /**
   * Opens another session; `undefined` starts a new conversation. If the session is open already, reconnects
   * it if it is offline.
   */
  open(sessionId: string | undefined): void;
  /**
   * Loads the messages before the first one that is shown, if the state's `hasOlder` is `true`. Resolves to
   * whether they were loaded. If the request failed, `state.error` has the reason until the next call, and
   * the phase is not `error`. Concurrent calls share one request.
   */
  loadOlder(): Promise<boolean>;
  /**
   * Resolves to the user's last 50 sessions with this agent, newest first. Rejects with an error whose `code`
   * and `message` are those of an {@link AgentFailure}.
   */
  sessions(): Promise<ListedSession[]>;
  /**
   * Loads one of the user's files, e.g. for `URL.createObjectURL()`. If the server knows the user by a
   * cookie, a page can use the part's `url` instead. Rejects like {@link AgentClient.sessions}.
   */
  file(id: string): Promise<Blob>;
  /**
   * Disconnects. The state does not change, and runs continue on the server. Nothing can be sent until
   * {@link AgentClient.open} is called.
   */
  close(): void;
}

/** The state of a conversation, with typed calls, questions and output if they are declared. */
export interface TypedState<T = AnyTools, Output = Json, Q = AnyQuestions>
  extends Omit<AgentState, "messages" | "output" | "pending"> {
  /** The open questions to the user. Compare `kind` to narrow one. */
  pending: QuestionOf<Q>[];
  /** The conversation, oldest message first. */
  messages: TypedMessage<T>[];
  /**
   * The output of the run in progress, or else of the last run, see `output` of `agent()`. While `final` is
   * `false`, it is the part that has arrived, and it may still be refused. `undefined` if the run has none.
   */
  output: ShownOutput<Output> | undefined;
}

/**
 * Creates a client for an agent that `handler()` of `@pawl/sse` serves. Loads the session's last messages,
 * follows its events and keeps its state up to date. Broken connections resume after the last event.
 *
 * `createAgentClient<typeof agent>` has the types of the agent's calls, questions and output. Import only its
 * type: `import type { agent } from "../server/agent.js"`.
 *
 * @throws PawlError `config` for unknown, missing and mistyped options.
 *
 * @example
 * ```ts
 * import { createAgentClient } from "@pawl/client";
 *
 * const coach = createAgentClient({ url: "http://localhost:3000/api/coach" });
 * const unsubscribe = coach.subscribe(() => {
 *   const { phase, messages } = coach.getState();
 *   console.log(phase, messages.at(-1)?.text);
 * });
 * await coach.send("Good morning");
 * unsubscribe();
 * coach.close();
 * ```
 */
export function createAgentClient<T extends ToolTypes<T> = AnyTools>(
  options: AgentClientOptions<NoInfer<T>>,
): AgentClient<T>;
export function createAgentClient<A extends AnyAgent>(
  options: AgentClientOptions<ToolTypesOf<A>>,
): AgentClient<ToolTypesOf<A>, OutputOf<A>, A>;
export function createAgentClient(options: AgentClientOptions): AgentClient {
  checkClientOptions("createAgentClient()", options);
  const { sessionId, silenceMs = SILENCE_MS, pageSize = 50 } = options;
  const speaks = wire(options, silenceMs);
  const talks = around(
    options,
    (from, id) => newConversation({ ...from, wire: speaks, pageSize, place: placed(() => later()) }, id),
    (facts: Facts) => withoutOwn(stateOf(facts), options),
  );
  let loaded: Promise<typeof import("./later.ts")> | undefined;
  const later = () => {
    loaded ??= import("./later.ts").catch((error) => {
      // The next call tries again.
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
  talks.subscribe(() => {
    if (loaded || talks.current.facts.view.pending.some((question) => ownTool(options, question)))
      later().then(
        ({ runPageTools }) => runPageTools(talks.current, options),
        () => undefined,
      );
  });
  const routes = async () => (await later()).library(options, silenceMs);
  const prepare: Prepare = async (...message) => {
    const { offeredBy, preparedBody } = await later();
    return await preparedBody(await routes(), offeredBy(options), ...message);
  };
  if (sessionId !== undefined) watchAgain(talks.current);

  return {
    getState: talks.getState,
    subscribe: talks.subscribe,
    send: (text, more) => sendMessage(talks.current, text, more, prepare, offers(options)),
    answer: (callId, value, question) => sendAnswer(talks.current, callId, { value }, question),
    fail: (callId, error, question) => sendAnswer(talks.current, callId, { error }, question),
    retry: () => sendRetry(talks.current),
    stop: () => sendStop(talks.current),
    open: (id) => {
      if (id !== undefined) checkArgument("The session's id for open()", id, "string");
      const { facts, life } = talks.current;
      // A first message that is in flight belongs to the session that it begins, not to the new one.
      const isSame = facts.sessionId === id && (id !== undefined || facts.sending === undefined);
      if (isSame && facts.connection !== "offline") return;
      if (!isSame) leave(talks.replace(id));
      else if (life.signal.aborted) talks.current.life = new AbortController();
      if (id !== undefined) watchAgain(talks.current);
      update(talks.current, { error: undefined });
    },
    loadOlder: async () => {
      const talk = talks.current;
      try {
        return await (await later()).loadOlder(talk);
      } catch (cause) {
        // The code could not be loaded.
        failOlder(talk, cause);
        return false;
      }
    },
    sessions: () => orFailure(routes(), (to) => to.sessions(new AbortController().signal)),
    file: (id) => orFailure(routes(), (to) => to.file(id, new AbortController().signal)),
    close: () => leave(talks.current),
  };
}

/** Makes the function by which idle tabs leave connections to others. Its code is loaded later. */
function placed(later: () => Promise<typeof import("./later.ts")>): Conversation["place"] {
  if (!("document" in globalThis)) return undefined;
  return async (...idle) =>
    await later().then(
      ({ streamPlace }) => streamPlace(...idle),
      // Without that code, the page keeps its stream.
      () => new AbortController().signal,
    );
}

/** Rejects with an error that has the code and the message of a failure. */
async function orFailure<R>(loaded: Promise<Library>, ask: (to: Library) => Promise<R>): Promise<R> {
  try {
    return await ask(await loaded);
  } catch (error) {
    const { code, message, cause } = failureOf(error);
    throw new Refused(0, code, message, { cause });
  }
}

/**
 * Stops reading and sending. A request in flight may have been stored or lost; the log shows which when the
 * session is opened again.
 */
function leave(talk: Conversation): void {
  talk.life.abort();
  update(talk, { connection: "offline", sending: undefined, answering: new Set() });
}
