/**
 * A response whose body ends where it would break off. The HTTP server prints a broken body with its stack, and at every
 * shutdown there is one for each open page; a client that sees no end of the run comes again in either case.
 */
export function endingQuietly(response: Response): Response {
  const reader = response.body?.getReader();
  if (reader === undefined) return response;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
        if (done || value === undefined) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, response);
}
