/** Options of {@link heldBody}. */
export interface HeldBodyOptions {
  /** Aborts when the client has disconnected, on platforms that report it. */
  signal: AbortSignal;
  /** Called once, when the bytes are not needed any more. */
  onClose(): void;
  /** How long a client may take nothing, in milliseconds. Then the body breaks off. Default: 30,000. */
  stallMs?: number;
}

/** How many bytes of a file are handed over at a time. */
const PIECE = 64 * 1024;

/** Yields the pieces of a file for a {@link heldBody}. */
export function* piecesOf(bytes: Uint8Array): Generator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}

/**
 * Returns pieces of bytes as the body of a response, and reports when they are not needed any more: the
 * client has them, has disconnected, or has taken nothing for a while. Without that, a client that stops
 * reading could keep the memory of a large response for ever.
 */
export function heldBody(
  pieces: Iterator<Uint8Array, void>,
  { signal, onClose, stallMs = 30_000 }: HeldBodyOptions,
): ReadableStream<Uint8Array> {
  let isOpen = true;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const close = () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", close);
    if (isOpen) onClose();
    isOpen = false;
  };
  const awaitClient = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      close();
      controller.error(new Error(`The client took nothing for ${stallMs} ms.`));
    }, stallMs);
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        signal.addEventListener("abort", close);
        awaitClient(controller);
        // The client may have gone while the bytes were read.
        if (signal.aborted) close();
      },
      pull(controller) {
        awaitClient(controller);
        const { done, value } = pieces.next();
        if (!done) return controller.enqueue(value);
        close();
        controller.close();
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  );
}
