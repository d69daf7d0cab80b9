import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";

/** A request's client, as far as the connection or a proxy identifies it. */
export interface Client {
  /** The client's address. For IPv6 it is the /64 network, because one client can use all addresses of it. */
  address: string;
  /** Whether the client used TLS. */
  secure: boolean;
}

/**
 * Returns the client of a request. Behind a trusted proxy, reads `x-forwarded-proto` and the last entry of
 * `x-forwarded-for`, which the proxy added. Otherwise ignores both headers, because any client can send them.
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
