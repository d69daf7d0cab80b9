import { afterEach, describe, expect, it, vi } from "vitest";
import { randomId } from "../../src/base/random-id.ts";
import { anySignal } from "../../src/base/signals.ts";

afterEach(() => void vi.unstubAllGlobals());

describe.each(["the platform's", "our own"])("a signal for the first of two, %s", (which) => {
  const any = (signals: AbortSignal[]): AbortSignal => {
    if (which === "our own") vi.stubGlobal("AbortSignal", class {});
    return anySignal(signals);
  };

  it("U4 aborts with the reason of the one that does", () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const signal = any([one.signal, other.signal]);
    expect(signal.aborted).toBe(false);
    other.abort("this one");
    expect([signal.aborted, signal.reason]).toEqual([true, "this one"]);
  });

  it("U4 is aborted if one was", () => {
    const signal = any([new AbortController().signal, AbortSignal.abort("before")]);
    expect([signal.aborted, signal.reason]).toEqual([true, "before"]);
  });
});

it("U2 makes ids where `crypto.randomUUID` is missing", () => {
  vi.stubGlobal("crypto", {
    getRandomValues: <T extends Uint8Array>(into: T): T => {
      into.forEach((_, at) => {
        into[at] = Math.random() * 256;
      });
      return into;
    },
  });
  const ids = Array.from({ length: 100 }, randomId);
  expect(new Set(ids).size).toBe(100);
  expect(ids.every((id) => /^[0-9a-f]{32}$/.test(id))).toBe(true);
});
