/** What a GET answers to conditions of RFC 9110, by the entity tag of what it would send. */
export const conditionalRequests: readonly [
  title: string,
  headers: (etag: string) => Record<string, string>,
  status: number,
][] = [
  ["its tag", (etag) => ({ "if-none-match": etag }), 304],
  ["its tag as a weak one", (etag) => ({ "if-none-match": `W/${etag}` }), 304],
  ["its tag in a list", (etag) => ({ "if-none-match": `"a", ${etag} ,"b"` }), 304],
  [
    "its tag in a list of weak ones, with empty members",
    (etag) => ({ "if-none-match": `W/"a",, W/${etag}` }),
    304,
  ],
  ["a star", () => ({ "if-none-match": "*" }), 304],
  ["another tag", () => ({ "if-none-match": '"other"' }), 200],
  ["a tag that contains it", (etag) => ({ "if-none-match": `"${etag.slice(1, -1)}x"` }), 200],
  [
    "a tag with a comma that begins like it",
    (etag) => ({ "if-none-match": `"x,${etag.slice(1, -1)}"` }),
    200,
  ],
  ["its tag without quotes", (etag) => ({ "if-none-match": etag.slice(1, -1) }), 200],
  ["nothing", () => ({ "if-none-match": "" }), 200],
  ["its tag as a match", (etag) => ({ "if-match": etag }), 200],
  ["its tag as a match in a list", (etag) => ({ "if-match": `"a",${etag}` }), 200],
  ["a star as a match", () => ({ "if-match": "*" }), 200],
  ["its tag as a weak match", (etag) => ({ "if-match": `W/${etag}` }), 412],
  ["another match", () => ({ "if-match": '"other"' }), 412],
  ["no match", () => ({ "if-match": "" }), 412],
  ["a match and a tag that is known", (etag) => ({ "if-match": etag, "if-none-match": etag }), 304],
  [
    "another match and a tag that is known",
    (etag) => ({ "if-match": '"other"', "if-none-match": etag }),
    412,
  ],
  [
    "times, which it does not have",
    () => ({
      "if-modified-since": "Sat, 28 Nov 2099 00:00:00 GMT",
      "if-unmodified-since": "Sat, 28 Nov 1999 00:00:00 GMT",
    }),
    200,
  ],
];
