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

/** The part of the SDK's transport that it keeps private. */
interface Inside {
  _process?: Handle & { stdin?: Handle; stdout?: Handle; stderr?: Handle };
}

/**
 * Returns the transport of a server over stdio. Its error output is read and dropped: it may contain
 * anything, and a full pipe would stop the server.
 */
export async function stdioTransport({ command, args, env, cwd }: StdioTarget): Promise<StdioTransport> {
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
  return { transport, hold };
}
