import { type RefObject, useEffect, useMemo, useRef, useSyncExternalStore } from "react";
import { checkClientOptions } from "../client/check-client.ts";
import type { WireOptions } from "../wire/request.ts";

/** A client of one conversation at a time, as a component uses it. */
interface Client<State> {
  getState(): State;
  subscribe(listener: () => void): () => void;
  open(sessionId: string | undefined): void;
  close(): void;
}

/** The options of a client that a component may change in each rendering. */
interface Options<Event> extends WireOptions {
  sessionId?: string | undefined;
  onSession?(sessionId: string | undefined): void;
  onEvent?(event: Event): void;
  silenceMs?: number;
  newId?(): string;
  tools?: object | undefined;
  pageSize?: number | undefined;
}

/**
 * Connects a component to a client while it is mounted. Opens another session when `sessionId` changes.
 * Returns the client and its state.
 */
export function useClient<
  State extends { sessionId: string | undefined; phase: string },
  Event,
  C extends Client<State>,
>(
  whose: string,
  options: Options<Event>,
  create: (options: Options<Event>) => C & Client<State>,
): readonly [C, State] {
  const { url, sessionId } = options;
  const isNew = useRef(true);
  if (isNew.current) checkClientOptions(whose, options);
  isNew.current = false;
  const latest = useRef(options);
  latest.current = options;
  const make = useRef(create);
  const client = useMemo(() => make.current(readingFrom(latest, url)), [url]);
  useEffect(() => () => client.close(), [client]);
  const opened = useRef<{ client: C; sessionId: string | undefined }>(undefined);
  useEffect(() => {
    const state = client.getState();
    // The user has left the conversation for a new one, whose first message is in flight: show the new one.
    const isNew = sessionId === undefined && state.sessionId === undefined && state.phase === "submitting";
    // A component that is shown again with the same `sessionId` continues its conversation.
    const isSame = opened.current?.client === client && opened.current.sessionId === sessionId;
    if (!isNew) client.open(isSame ? state.sessionId : sessionId);
    opened.current = { client, sessionId };
  }, [client, sessionId]);
  return [client, useSyncExternalStore(client.subscribe, client.getState, client.getState)];
}

/**
 * Returns options that read `headers`, `fetch`, `onEvent` and `tools` from the latest rendering. They do not
 * contain the session: an effect opens it once the component is mounted.
 */
function readingFrom<Event>(latest: RefObject<Options<Event>>, url: string): Options<Event> {
  const { silenceMs, newId, pageSize } = latest.current;
  // Options that are `undefined` count as absent.
  const fixed = { url, silenceMs, newId, pageSize } as Options<Event>;
  return {
    ...fixed,
    get tools() {
      return latest.current.tools;
    },
    fetch: (input, init) => (latest.current.fetch ?? globalThis.fetch)(input, init),
    headers: () => {
      const { headers = {} } = latest.current;
      return typeof headers === "function" ? headers() : headers;
    },
    onEvent: (event) => latest.current.onEvent?.(event),
    onSession: (id) => latest.current.onSession?.(id),
  };
}
