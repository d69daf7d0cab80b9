import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createMcpHandler, McpServer as SdkServer } from "@modelcontextprotocol/server";
import { type McpServerOptions, mcpServer } from "../../src/index.ts";

export type Register = (server: SdkServer, facts: { era: string; token: string | undefined }) => void;

/** An in-process server over HTTP, and what it was sent. */
export interface Served {
  fetch: typeof fetch;
  /** The bodies of all requests, as JSON. */
  readonly bodies: { method?: string; params?: Record<string, unknown>; id?: unknown }[];
  /** The names of called tools, in order. */
  calls(): unknown[];
}

/** Serves what `register` adds to each server, without a socket. `before` may answer instead. */
export function serve(
  register: Register,
  before: (request: Request, body: string) => Response | undefined | Promise<Response | undefined> = () =>
    undefined,
  serverOptions: object = {},
): Served {
  const handler = createMcpHandler(({ era, requestInfo }) => {
    const token = requestInfo?.headers.get("authorization")?.replace(/^Bearer /, "");
    const server = new SdkServer({ name: "test", version: "1" }, serverOptions);
    register(server, { era, token: token ?? undefined });
    return server;
  });
  const bodies: Served["bodies"] = [];
  return {
    bodies,
    calls: () => bodies.filter(({ method }) => method === "tools/call").map(({ params }) => params?.name),
    fetch: async (input, init) => {
      const request = new Request(input as string, init);
      const text = await request.clone().text();
      if (text !== "") bodies.push(JSON.parse(text));
      return (await before(request, text)) ?? (await handler.fetch(request));
    },
  };
}

/** A server of this package over an in-process one. */
export const connectTo = (served: Pick<Served, "fetch">, more: Partial<McpServerOptions<never>> = {}) =>
  mcpServer({ name: "test", url: "https://mcp.example.com/mcp", fetch: served.fetch, ...(more as object) });

/** What `node` is started with, so that the reference servers run under the same Node. */
export const node = process.execPath;

/** The program of a reference server. */
export const reference = (name: "everything" | "filesystem" | "memory"): string =>
  new URL(`../../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`, import.meta.url).pathname;

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Starts the reference server over HTTP, which keeps a session for each client. */
export async function startEverything(port: number): Promise<ChildProcess> {
  const child = spawn(node, [reference("everything"), "streamableHttp"], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  for await (const chunk of child.stderr ?? []) if (String(chunk).includes("listening")) break;
  return child;
}

/** Whether a process runs. One that has ended may still be listed if nobody asks for its exit code. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" && process.platform !== "linux";
  }
}
