import { expect, it } from "vitest";
import { withoutHidden } from "../../src/tools.ts";

it("T14 removes what does not show, and keeps what words and emoji need", () => {
  const hidden = [
    "\u0000\u001b\u007f\u0085",
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u180e\u200b\u200e\u200f\u202a\u202e\u2060\u2066\u2069\u3164",
    "\ufe00\ufeff\uffa0\ufff9\u{e0001}\u{e0041}\u{e0100}",
  ].join("");
  for (const mark of hidden) expect(withoutHidden(`a${mark}b`), mark.codePointAt(0)?.toString(16)).toBe("ab");
  const kept =
    "a\tb\r\nc می\u200cخواهم क्\u200dष 👩\u200d👩\u200d👧 ❤\ufe0f ᠠ\u180b 1\ufe0f\u20e3 👩🏽\u200d🚀 🏳\ufe0f\u200d🌈 ര്\u200d র\u200d্য 漢字 é e\u0301";
  expect(withoutHidden(kept)).toBe(kept);
});

it.each([
  ["a joiner in a Latin word", "pass\u200dword", "password"],
  ["a joiner behind a filler", "pass\u3164\u200dword", "password"],
  ["a variation selector in a word", "pass\ufe0fword", "password"],
  ["a Mongolian selector in a word", "pass\u180bword", "password"],
  ["a row of joiners", "می\u200c\u200d\u200c\u200cخ", "می\u200cخ"],
  ["a row of selectors", "❤\ufe0f\ufe0e\ufe0f\ufe0e", "❤\ufe0f"],
  ["a row of Mongolian selectors", "ᠠ\u180b\u180c\u180d", "ᠠ\u180b"],
  ["joiners alone", "\u200c\u200d\ufe0f", ""],
])("B9 T14 keeps no hidden message: %s", (_, hidden, shown) => {
  expect(withoutHidden(hidden)).toBe(shown);
});
