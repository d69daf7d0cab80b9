import { failureOf, McpFailure, notGranted, unreachable, unread } from "../base/failure.ts";
import { adopt, type Closings, end, type Known, type Live, opener } from "./live.ts";
import type { McpServerOptions } from "./options.ts";
import type { Client } from "./sdk.ts";
import { secretsOf } from "./target.ts";
import type { Token } from "./token.ts";

const IDLE_MS = 300_000;

/** How a connection is used. */
export interface LinkUse {
  /** The session of an older server to use, also if another process has begun it. */
  session?: string | undefined;
  /** Whether it only reads, e.g. a list: then no tool has run when it fails. Default: no. */
  isRead?: boolean | undefined;
  /** The signal of the work. */
  signal?: AbortSignal | undefined;
}

/** The connection of one user to one server. It is opened when it is needed, and again after it was lost. */
export interface Link {
  /**
   * Uses the connection. If it turns out to be gone before anything was sent, a new one is used.
   *
   * @throws McpFailure
   */
  use<T>(work: (client: Client) => Promise<T>, use?: LinkUse): Promise<T>;
  /** What must not appear in a result or an error. */
  secrets(): readonly string[];
  /** Closes it as soon as no request uses it. */
  retire(): void;
  close(): Promise<void>;
}

/** Makes a link. `onIdle` is called when it has closed itself. */
export function makeLink<Deps>(
  options: McpServerOptions<Deps>,
  token: Token | undefined,
  { known, closings }: { known: Known; closings: Closings },
  onIdle: () => void,
): Link {
  const { name, idleMs = IDLE_MS } = options;
  const fixed = secretsOf(options);
  const secrets = () => [...fixed, ...(token?.secrets() ?? [])];
  const connection = reopening(opener(options, token, known, closings));
  let busy = 0;
  let isRetired = false;
  let idle: NodeJS.Timeout | undefined;

  async function once<T>(work: (client: Client) => Promise<T>, { session, isRead }: LinkUse): Promise<T> {
    let live: Live | undefined;
    const adopted = session !== undefined && connection.open()?.session() !== session;
    try {
      live = adopted ? await adopt(options, token, closings, session) : await connection.current();
      live.hold(true);
      return await work(live.client);
    } catch (error) {
      const failed = failureOf(name, error, secrets());
      if (live === undefined) throw unopened(failed, options);
      if (failed.isStale) end(live, closings);
      throw isRead ? unread(failed, name) : failed;
    } finally {
      // Other requests may still wait for the same child.
      if (busy === 1) live?.hold(false);
      if (adopted) await live?.close();
    }
  }

  async function close(): Promise<void> {
    clearTimeout(idle);
    await connection.close();
  }

  function closeIdle(): void {
    clearTimeout(idle);
    onIdle();
    closings.add(close());
  }

  return {
    secrets,
    close,
    retire: () => {
      isRetired = true;
      if (busy === 0) closeIdle();
    },
    use: async (work, use = {}) => {
      busy += 1;
      clearTimeout(idle);
      try {
        return await once(work, use).catch(async (error: unknown) => {
          if (!(error instanceof McpFailure)) throw error;
          if (error.isStale) return await once(work, use);
          if (error.wants === undefined || token?.widen === undefined) throw error;
          if (await token.widen(error.wants)) throw notGranted(name, error.wants);
          return await once(work, use);
        });
      } finally {
        busy -= 1;
        if (busy === 0 && isRetired) closeIdle();
        else if (busy === 0) idle = afterwards(idleMs, closeIdle);
      }
    },
  };
}

/** Without a connection nothing was sent, so nothing has run, and no outcome is unknown. */
function unopened<Deps>(failed: McpFailure, options: McpServerOptions<Deps>): McpFailure {
  return failed.why === "" ? failed : unreachable(failed, options.name, options);
}

/** Calls back after a while, without keeping the process running. */
function afterwards(ms: number, act: () => void): NodeJS.Timeout {
  const timer = setTimeout(act, ms);
  // Browsers and Workers return a number.
  timer.unref?.();
  return timer;
}

/** Keeps one connection, and opens another if it is over. */
function reopening(open: () => Promise<Live>) {
  let opening: Promise<Live> | undefined;
  let last: Live | undefined;
  return {
    /** Returns the connection if there is one now. */
    open: (): Live | undefined => (last?.isOver === false ? last : undefined),
    current: async (): Promise<Live> => {
      const before = opening;
      const live = await before?.catch(() => undefined);
      if (live !== undefined && !live.isOver) return live;
      if (opening === before) opening = open();
      last = await (opening as Promise<Live>);
      return last;
    },
    close: async (): Promise<void> => {
      const live = await opening?.catch(() => undefined);
      opening = undefined;
      if (live === undefined) return;
      live.isOver = true;
      await live.close();
    },
  };
}
