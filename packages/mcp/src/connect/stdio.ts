import type { Transport } from "./sdk.ts";

/** The program of a server that is started as a child process. */
export interface StdioTarget {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd: string | undefined;
}

/** A transport to a child process. */
export interface StdioTransport {
  transport: Transport;
  /** Whether the child keeps this process running: only while a request is waiting for it. */
  hold(isHeld: boolean): void;
}

interface Handle {
  ref?(): void;
  unref?(): void;
}

/** The output of a child process. */
interface Output extends Handle {
  prependListener(event: "data", listener: (chunk: Uint8Array) => void): unknown;
  destroy(): unknown;
}

/** The part of the SDK's transport that it keeps private. */
interface Inside {
  _process?: Child & { stdin?: Handle; stdout?: Output; stderr?: Handle };
}

/** A child process. */
interface Child extends Handle {
  pid?: number | undefined;
  once(event: "exit" | "error", listener: () => void): unknown;
}

/**
 * Returns the transport of a server over stdio. Its error output is read and dropped: it may contain
 * anything, and a full pipe would stop the server.
 *
 * @param isFlood gets the number of lines that the server has written, messages or not. If it returns true,
 * nothing more is read, and the connection closes
 */
export async function stdioTransport(
  { command, args, env, cwd }: StdioTarget,
  isFlood: (lines: number) => boolean,
): Promise<StdioTransport> {
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    env: { ...env },
    stderr: "pipe",
    ...(cwd !== undefined && { cwd }),
  });
  transport.stderr?.on("data", () => undefined);
  const hold = (isHeld: boolean): void => {
    const child = (transport as unknown as Inside)._process;
    for (const handle of [child, child?.stdin, child?.stdout, child?.stderr])
      if (isHeld) handle?.ref?.();
      else handle?.unref?.();
  };
  return { transport: awaited(counted(transport, isFlood)), hold };
}

/**
 * Makes `close()` wait until the child is gone, also in a second call. The SDK's second call would
 * return at once, and none waits for the end of a child that it has killed.
 */
function awaited(transport: Transport): Transport {
  const children = new Map<Child, Promise<void>>();
  const start = transport.start.bind(transport);
  const close = transport.close.bind(transport);
  transport.start = async () => {
    const started = start();
    const child = (transport as unknown as Inside)._process;
    if (child !== undefined) children.set(child, ended(child));
    await started;
  };
  transport.close = async () => {
    // Otherwise a script that awaits this could end before the program does.
    for (const child of children.keys()) child.ref?.();
    await close();
    await Promise.all(children.values());
  };
  return transport;
}

/** Resolves once a child is gone, or could not be started. */
async function ended(child: Child): Promise<void> {
  await new Promise<void>((resolve) => {
    child.once("exit", resolve);
    child.once("error", () => {
      if (child.pid === undefined) resolve();
    });
  });
}

/** Counts the lines that a child writes, as soon as it has started. */
function counted(transport: Transport, isFlood: (lines: number) => boolean): Transport {
  const start = transport.start.bind(transport);
  transport.start = async () => {
    await start();
    const output = (transport as unknown as Inside)._process?.stdout;
    // Before the SDK's own listener, which parses every line.
    output?.prependListener("data", (chunk) => {
      if (!isFlood(linesIn(chunk))) return;
      output.destroy();
      void transport.close().catch(() => undefined);
    });
  };
  return transport;
}

const LINE_FEED = 10;

function linesIn(chunk: Uint8Array): number {
  let lines = 0;
  for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) lines += 1;
  return lines;
}
