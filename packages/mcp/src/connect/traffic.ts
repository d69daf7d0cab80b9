type Id = string | number;

/** The requests of one connection that have no answer yet, and what its server may still send. */
export interface Traffic {
  /** The requests without an answer, by their ids. */
  readonly open: Map<Id, OpenRequest>;
  /** Notes a request. `isModern`: its protocol has no requests of servers. */
  sent(id: Id, request: Pick<OpenRequest, "method" | "asksForTask">, isModern: boolean): OpenRequest;
  /** Notes that nobody waits for the answer of a request any more. */
  over(id: Id): void;
  /** Counts what the server has sent. Returns what is wrong if it is more than the server may send. */
  received(kind: Kind, count?: number): string | undefined;
  /** Returns the open request whose stream a `GET` with this `last-event-id` resumes. */
  ofToken(token: string): Id | undefined;
  /** Counts a resumption of a request's stream. Returns whether the request may have one more. */
  mayResume(id: Id | undefined): boolean;
}

/** A request without an answer. */
export interface OpenRequest {
  method: string;
  /** Whether it asks for a task. */
  asksForTask: boolean;
  /** The id of the last event in its stream. */
  token?: string;
  /** How many times its stream was resumed. */
  resumed: number;
  /** Aborts if it is cancelled. */
  ended: AbortController;
  /** Is called once nobody waits for its answer any more. */
  onOver?: (() => void) | undefined;
}

/** How many times the stream of a request is resumed at most. */
const MOST_RESUMPTIONS = 2;

/** What is counted. Events are those of a stream, or lines of a program, with or without a message. */
type Kind = "requests" | "notifications" | "events";

/** How much a server may send. */
type Amounts = Record<Kind, number>;

// Each notification is an event, and so is an answer, a request, and what begins a stream.
const CURRENT: Amounts = { requests: 0, notifications: 10_000, events: 10_100 };
const LEGACY: Amounts = { ...CURRENT, requests: 8 };

/** What a server may send besides: during a long call, and to learn whether its client is still there. */
const EACH_SECOND: Amounts = { requests: 1, notifications: 100, events: 110 };

const KINDS = ["requests", "notifications", "events"] as const;

const WORDS: Readonly<Record<Kind, string>> = {
  requests: "requests of its own",
  notifications: "notifications of its own, or answers that nobody waits for",
  events: "events",
};

/** Counts what goes over one connection. `now` returns the time in milliseconds. */
export function newTraffic(now: () => number = Date.now): Traffic {
  const open = new Map<Id, OpenRequest>();
  // A program may greet before it is asked.
  const left: Amounts = { requests: 0, notifications: 0, events: LEGACY.events };
  /** What the server may send for each request without an answer. */
  let most = LEGACY;
  let at = now();

  /** Allows what a server may send for the time that has passed, up to what it may for one request. */
  function allowLater(): void {
    const time = now();
    const seconds = Math.max(0, time - at) / 1_000;
    at = time;
    for (const kind of KINDS) {
      const more = Math.min(left[kind] + seconds * EACH_SECOND[kind], most[kind]);
      left[kind] = Math.max(left[kind], more);
    }
  }

  return {
    open,
    sent: (id, { method, asksForTask }, isModern) => {
      const request: OpenRequest = { method, asksForTask, resumed: 0, ended: new AbortController() };
      open.set(id, request);
      most = isModern ? CURRENT : LEGACY;
      // No more than for those without an answer.
      for (const kind of KINDS) left[kind] = Math.min(left[kind] + most[kind], most[kind] * open.size);
      return request;
    },
    over: (id) => {
      open.get(id)?.onOver?.();
      open.delete(id);
    },
    received: (kind, count = 1) => {
      allowLater();
      if (left[kind] < count) return `The server sent too many ${WORDS[kind]}.`;
      left[kind] -= count;
      return undefined;
    },
    ofToken: (token) => [...open].find(([, request]) => request.token === token)?.[0],
    mayResume: (id) => {
      const request = id === undefined ? undefined : open.get(id);
      if (request === undefined || request.resumed === MOST_RESUMPTIONS) return false;
      request.resumed += 1;
      return true;
    },
  };
}
