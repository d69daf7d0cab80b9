import { useContext, useEffect, useRef, useState } from "react";
import { nameOf, sizeOf } from "./file-words.ts";
import { type FilePart, SendingContext } from "./sending-files.ts";
import type { Picked } from "./use-tray.ts";

/** The largest size of a picture in the conversation, in pixels. */
const LARGEST = { width: 320, height: 260 } as const;

interface PictureProps {
  part: FilePart;
  /** The place of the file in its message. */
  at: number;
  /** Whether the server has confirmed the message. */
  sent: boolean;
}

/** Shows a picture of a message. A button opens it in its full size. */
export function Picture({ part, at, sent }: PictureProps) {
  const { url, bytes } = part;
  const name = nameOf(part);
  const local = useLocal(url, at, sent);
  const [isLost, setIsLost] = useState(false);
  const [isOpen, setIsOpen] = useState(false);
  const { width = 0, height = 0 } = part.width === undefined ? (local?.picture ?? {}) : part;
  const scale = Math.min(1, LARGEST.width / width, LARGEST.height / height);
  const src = local?.picture?.url ?? url;
  if (isLost || src === undefined || width === 0) {
    return (
      <p className="file-link" data-testid="picture-lost">
        {name} ({sizeOf(bytes)}) {src !== undefined && "can't be shown."}
      </p>
    );
  }
  return (
    <>
      <button
        type="button"
        className="picture"
        data-testid="picture"
        aria-label={`Open ${name}`}
        aria-haspopup="dialog"
        onClick={() => setIsOpen(true)}
      >
        <img
          src={src}
          alt={name}
          width={Math.max(1, Math.round(width * scale))}
          height={Math.max(1, Math.round(height * scale))}
          onError={() => setIsLost(true)}
        />
      </button>
      {isOpen && <Large {...{ src, name, width, height }} onClose={() => setIsOpen(false)} />}
    </>
  );
}

interface LargeProps {
  src: string;
  name: string;
  width: number;
  height: number;
  onClose: () => void;
}

/** Shows a picture over the page. The dialog element returns the focus when it is closed. */
function Large({ src, name, width, height, onClose }: LargeProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const { current } = dialog;
    current?.showModal();
    return () => current?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click anywhere closes it; the dialog itself handles Escape
    <dialog
      ref={dialog}
      className="picture-large"
      aria-label={name}
      data-testid="picture-large"
      onClose={onClose}
      onClick={() => dialog.current?.close()}
    >
      <img src={src} alt={name} width={width} height={height} />
      <p>
        <span>
          {name} · {width} × {height}
        </span>
        <button type="button" className="text-button">
          Close
        </button>
      </p>
    </dialog>
  );
}

/**
 * Returns the page's own copy of a picture that is being sent. It is shown until the server's copy has been
 * loaded, so that nothing flickers.
 */
function useLocal(url: string | undefined, at: number, sent: boolean): Picked | undefined {
  const sending = useContext(SendingContext);
  const held = useRef<Picked>(undefined);
  const [isLoaded, setIsLoaded] = useState(false);
  const latest = useRef(sending);
  latest.current = sending ?? latest.current;
  if (!sent) held.current = sending?.files[at] ?? held.current;
  const isConfirmed = sent && url !== undefined;
  useEffect(() => {
    const picked = held.current;
    if (!isConfirmed || picked === undefined) return;
    const image = new Image();
    image.onload = () => {
      held.current = undefined;
      setIsLoaded(true);
      // After the next rendering, which no longer uses it.
      setTimeout(() => latest.current?.release(picked), 1_000);
    };
    image.src = url;
    return () => {
      image.onload = null;
    };
  }, [isConfirmed, url]);
  return isLoaded ? undefined : held.current;
}
