import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";

/** Facts about a request's client that are not in its body. */
export interface Client {
  /** The client's address. For IPv6, its /64 network, because one client has all of its addresses. */
  address: string;
  /** Whether the client used TLS. */
  secure: boolean;
}

/**
 * Returns the client of a request. Behind a trusted proxy, reads the last entry of `x-forwarded-for`, which
 * the proxy itself added, and `x-forwarded-proto`. Otherwise ignores these headers, because anybody can write
 * them.
 */
export function clientOf(c: Context, trustProxy: boolean): Client {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
  const direct = incoming?.socket?.remoteAddress ?? "unknown";
  const last = (name: string) => c.req.header(name)?.split(",").at(-1)?.trim() || undefined;
  const forwarded = trustProxy ? last("x-forwarded-for") : undefined;
  const proto = trustProxy ? last("x-forwarded-proto") : undefined;
  return {
    address: network(forwarded ?? direct),
    secure: (proto ?? new URL(c.req.url).protocol.replace(":", "")).toLowerCase() === "https",
  };
}

function network(address: string): string {
  const v4 = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (v4 !== undefined || !address.includes(":")) return v4 ?? address;
  const [head = "", tail] = address.split("%")[0]?.split("::") ?? [];
  const groups = (text = "") => text.split(":").filter((group) => group !== "");
  const [before, after] = [groups(head), groups(tail)];
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => "0");
  const all = tail === undefined ? before : [...before, ...zeros, ...after];
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}
