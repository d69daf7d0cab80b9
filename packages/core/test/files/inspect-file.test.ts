import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { processorTime } from "../../../../test/support/processor-time.ts";
import { inspectFile } from "../../src/files/inspect-file.ts";
import { gif, joinedBytes, jpeg, pdf, png, utf8, webp } from "../support/files.ts";

const refusal = async (bytes: Uint8Array<ArrayBuffer>) =>
  await inspectFile(bytes).then(
    (facts) => facts,
    (error: Error & { code: string }) => `${error.code}: ${error.message}`,
  );

describe("inspectFile()", () => {
  it("F1 finds the type and the size of a picture by its bytes alone", async () => {
    expect(await inspectFile(png(640, 480))).toEqual({
      mediaType: "image/png",
      bytes: 67,
      width: 640,
      height: 480,
    });
    expect(await inspectFile(gif(3, 5))).toMatchObject({ mediaType: "image/gif", width: 3, height: 5 });
    expect(await inspectFile(jpeg(4032, 3024))).toMatchObject({
      mediaType: "image/jpeg",
      width: 4032,
      height: 3024,
    });
    for (const kind of ["VP8 ", "VP8L", "VP8X"] as const)
      expect(await inspectFile(webp(kind, 800, 600))).toMatchObject({
        mediaType: "image/webp",
        width: 800,
        height: 600,
      });
  });

  it("F1 finds the frame of a JPEG behind its tables", async () => {
    const table = Uint8Array.of(0xff, 0xd8, 0xff, 0xc4, 0, 12, 8, 0, 1, 0, 1, 0, 0, 0, 0, 0);
    const whole = joinedBytes(table, jpeg(640, 480).subarray(2));
    expect(await inspectFile(whole)).toMatchObject({ width: 640, height: 480 });
  });

  it("F1 refuses pictures whose headers claim too many pixels, without decoding them", async () => {
    expect(await refusal(png(4_294_967_295, 1))).toContain(
      "invalid_input: The picture has 4294967295 × 1 pixels.",
    );
    expect(await refusal(png(8_000, 7_999))).toContain("At most 8000 a side and 50000000 in all");
    expect(await refusal(png(8_001, 1))).toContain("8001 × 1 pixels");
    expect(await refusal(png(1, 8_001))).toContain("1 × 8001 pixels");
    expect(await refusal(webp("VP8X", 16_777_215, 16_777_215))).toContain("pixels");
    expect(await inspectFile(png(8_000, 6_000))).toMatchObject({ width: 8_000 });
  });

  it.each([
    ["a PNG without its header", png(1, 1).slice(0, 14)],
    ["a PNG of no width", png(0, 5)],
    ["a JPEG whose height comes later", jpeg(5, 0)],
    ["a PNG whose first chunk is another", joinedBytes(png(1, 1).slice(0, 12), utf8("tEXt00000000"))],
    ["a JPEG that ends in a segment", jpeg(5, 5).slice(0, 40)],
    ["a JPEG without a frame", Uint8Array.of(0xff, 0xd8, 0xff, 0xd9)],
    [
      "a JPEG of nothing but fill bytes",
      joinedBytes(Uint8Array.of(0xff, 0xd8), new Uint8Array(5_000).fill(0xff)),
    ],
    ["a WebP of an unknown kind", joinedBytes(utf8("RIFF0000WEBPABCD"), new Uint8Array(40))],
    ["a GIF that is cut off", gif(1, 1).slice(0, 8)],
  ])("F1 refuses %s", async (_, bytes) => {
    expect(await refusal(bytes)).toContain("invalid_input: The picture is damaged");
  });

  it("reads no byte beyond a view of a larger buffer", async () => {
    const whole = png(640, 480);
    expect(await refusal(whole.subarray(0, 20))).toContain("damaged");
  });

  it("F1 counts the pages of a PDF, also those in compressed streams", async () => {
    expect(await inspectFile(pdf(7))).toMatchObject({ mediaType: "application/pdf", pages: 7 });
    expect(await inspectFile(pdf(90, { packed: true }))).toMatchObject({ pages: 90 });
    expect(await inspectFile(utf8("%PDF-1.7\nnothing"))).toEqual({ mediaType: "application/pdf", bytes: 16 });
    expect(await refusal(pdf(101, { packed: true }))).toContain("about 101 pages. At most 100");
  });

  it("F1 B7 counts pages in 16 MB that it unpacks, and no further, over all streams", async () => {
    const stream = (blanks: number) =>
      joinedBytes(
        utf8("<< /Type /ObjStm >>\nstream\n"),
        deflateSync(`${" ".repeat(blanks)} /Type /Page `),
        utf8("\nendstream\n"),
      );
    const file = (...blanks: number[]) => joinedBytes(utf8("%PDF-1.7\n"), ...blanks.map(stream));
    expect(await inspectFile(file(15_000_000))).toMatchObject({ pages: 1 });
    expect(await inspectFile(file(17_000_000))).not.toHaveProperty("pages");
    expect(await inspectFile(file(9_000_000, 9_000_000, 10))).toMatchObject({ pages: 1 });
  });

  it("F1 B7 unpacks a PDF piece by piece, and finds what lies across the pieces", async () => {
    let filler = 1;
    const noise = () =>
      Array.from({ length: 997 }, () => {
        filler = (filler * 48_271) % 2_147_483_647;
        return String.fromCharCode(48 + (filler % 70));
      }).join("");
    const text = Array.from({ length: 100 }, () => `${noise().slice(filler % 90)}/Type /Page `).join("");
    const packed = deflateSync(text);
    const file = joinedBytes(utf8("%PDF-1.7\n/ObjStm\nstream\n"), packed, utf8("\nendstream\n"));
    expect(await inspectFile(file)).toMatchObject({ pages: 100 });
  });

  it("F1 unpacks no more of a PDF than that, however often it is tried", async () => {
    const bomb = deflateSync(new Uint8Array(100_000_000));
    const stream = joinedBytes(utf8("<< /Type /ObjStm >>\nstream\n"), bomb, utf8("\nendstream\n"));
    const before = process.memoryUsage().arrayBuffers;
    const spentMs = processorTime();
    expect(await inspectFile(joinedBytes(utf8("%PDF-1.7\n"), stream, stream, stream))).toEqual({
      mediaType: "application/pdf",
      bytes: expect.any(Number),
    });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50_000_000);
    expect(spentMs()).toBeLessThan(5_000);
  });

  it("F1 unpacks object streams only, and ignores what is damaged in them", async () => {
    const packed = deflateSync("/Type /Page /Type /Page ".repeat(50));
    const stream = (type: string, data: Uint8Array) =>
      joinedBytes(utf8(`%PDF-1.7\n<< ${type} >>\nstream\n`), data, utf8("\nendstream\n"));
    expect(await inspectFile(stream("/Type /XObject", packed))).not.toHaveProperty("pages");
    expect(await inspectFile(stream(`/ObjStm ${" ".repeat(2_100)}`, packed))).not.toHaveProperty("pages");
    expect(await inspectFile(stream("/ObjStm", packed))).toMatchObject({ pages: 100 });
    expect(await inspectFile(stream("/ObjStm", packed.subarray(0, 20)))).toMatchObject({
      mediaType: "application/pdf",
    });
  });

  it("F1 refuses an encrypted PDF", async () => {
    expect(await refusal(pdf(2, { trailer: "/Encrypt 7 0 R" }))).toContain("The PDF is encrypted.");
    expect(await inspectFile(pdf(2, { trailer: "/EncryptMetadata true" }))).toMatchObject({ pages: 2 });
  });

  it("F1 takes SVG, HTML and scripts for text, which nothing runs", async () => {
    for (const text of [
      "<svg onload='alert(1)'/>",
      "<!doctype html><script>1</script>",
      "#!/bin/sh",
      "\ufeffHej, 世界\r\n\t",
    ])
      expect(await inspectFile(utf8(text))).toEqual({ mediaType: "text/plain", bytes: utf8(text).length });
  });

  it("F1 takes a picture with HTML behind its header for the picture", async () => {
    expect(await inspectFile(gif(1, 1, "<script>alert(1)</script>"))).toMatchObject({
      mediaType: "image/gif",
    });
    expect(await inspectFile(joinedBytes(png(1, 1), utf8("<html><script>")))).toMatchObject({
      mediaType: "image/png",
    });
  });

  it.each([
    ["nothing", new Uint8Array(), "The file is empty."],
    ["a ZIP", joinedBytes(utf8("PK"), Uint8Array.of(3, 4, 0, 0)), "unknown type"],
    ["UTF-16", new Uint8Array(Buffer.from("\ufeffHello", "utf16le")), "unknown type"],
    ["Latin-1", Uint8Array.of(0x48, 0xe9, 0x6c), "unknown type"],
    ["junk before a PDF", joinedBytes(Uint8Array.of(0), pdf(1)), "unknown type"],
    ["a text with a NUL", utf8("a\0b"), "unknown type"],
    ["a long text", new Uint8Array(1_000_001).fill(97), "At most 1000000 are allowed for a text."],
    [
      "a large PDF",
      joinedBytes(pdf(1), new Uint8Array(20_000_000)),
      "At most 20000000 are allowed for a PDF.",
    ],
    ["a large picture", png(10, 10, { bytes: 7_800_001 }), "At most 7800000 are allowed for a picture."],
  ])("F1 refuses %s", async (_, bytes, why) => {
    expect(await refusal(bytes)).toContain(why);
  });
});

it.each([
  ["streams without data", "/ObjStm stream\nx\nendstream\n"],
  ["names of streams", "/ObjStms"],
  ["names of types", "/Type"],
  ["names of encryption", "/Encrypt "],
  ["white space", "/Type                    "],
])("F1 needs little time for a PDF of nothing but %s", async (_, unit) => {
  const bytes = utf8(`%PDF-1.7\n${unit.repeat(Math.floor(19_000_000 / unit.length))}`);
  const spentMs = processorTime();
  expect(await inspectFile(bytes)).toMatchObject({ mediaType: "application/pdf" });
  expect(spentMs()).toBeLessThan(3_000);
});

it("F1 finds what lies across the pieces in which a PDF is read", async () => {
  // Pieces of a megabyte overlap by 128 bytes.
  const blank = utf8(`%PDF-1.7\n${" ".repeat((1 << 20) + 500)}`);
  for (let shift = 0; shift < 140; shift += 1) {
    const file = blank.slice();
    file.set(utf8("/Type /Page "), (1 << 20) - shift);
    expect(await inspectFile(file)).toMatchObject({ pages: 1 });
  }
  const packed = pdf(90, { packed: true });
  const moved = joinedBytes(utf8(`%PDF-1.7\n${" ".repeat((1 << 20) - 60)}`), packed);
  expect(await inspectFile(moved)).toMatchObject({ pages: 90 });
});
