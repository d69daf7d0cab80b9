import dns from "node:dns";
import { vi } from "vitest";

/** An address on the internet. */
export const PUBLIC = "93.184.215.14";

/**
 * Resolves names as this table says until mocks are restored: a list has the addresses of one lookup after the
 * other, the last one for all later ones. Other names are public.
 */
export function resolveNames(table: Readonly<Record<string, readonly string[]>> = {}): void {
  const counts = new Map<string, number>();
  const lookup = async (name: string) => {
    const addresses = table[name] ?? [PUBLIC];
    const nth = counts.get(name) ?? 0;
    counts.set(name, nth + 1);
    const address = addresses[Math.min(nth, addresses.length - 1)] ?? PUBLIC;
    return [{ address, family: address.includes(":") ? 6 : 4 }];
  };
  vi.spyOn(dns.promises, "lookup").mockImplementation(lookup as never);
}
