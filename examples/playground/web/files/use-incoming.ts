import { useEffect, useRef, useState } from "react";

/**
 * Takes files that are dropped on the page or pasted into it. Returns whether files are being dragged over
 * the page. Without `add`, a dropped file is ignored: the browser would leave the page for it.
 */
export function useIncoming(add: ((files: readonly File[]) => void) | undefined): boolean {
  const [isOver, setIsOver] = useState(false);
  const latest = useRef(add);
  latest.current = add;
  useEffect(() => {
    // Each element that the pointer enters or leaves sends an event.
    let depth = 0;
    const over = (now: number): void => {
      depth = Math.max(0, now);
      setIsOver(depth > 0 && latest.current !== undefined);
    };
    const onDrag = (event: DragEvent): void => {
      if (!hasFiles(event.dataTransfer)) return;
      event.preventDefault();
      if (event.dataTransfer !== null)
        event.dataTransfer.dropEffect = latest.current === undefined ? "none" : "copy";
      if (event.type === "dragenter") over(depth + 1);
      if (event.type === "dragleave") over(depth - 1);
      if (event.type !== "drop") return;
      over(0);
      latest.current?.(filesOf(event.dataTransfer));
    };
    const onPaste = (event: ClipboardEvent): void => {
      const files = filesOf(event.clipboardData);
      if (latest.current === undefined || files.length === 0 || isText(event.clipboardData)) return;
      event.preventDefault();
      latest.current(files.map(named));
    };
    const types = ["dragenter", "dragover", "dragleave", "drop"] as const;
    for (const type of types) addEventListener(type, onDrag);
    addEventListener("paste", onPaste);
    return () => {
      for (const type of types) removeEventListener(type, onDrag);
      removeEventListener("paste", onPaste);
    };
  }, []);
  return isOver;
}

function hasFiles(data: DataTransfer | null): boolean {
  return data?.types.includes("Files") === true;
}

function filesOf(data: DataTransfer | null): File[] {
  return [...(data?.files ?? [])];
}

/** Whether text was copied: word processors and spreadsheets also copy a picture of it, which is ignored. */
function isText(data: DataTransfer | null): boolean {
  return data?.types.includes("text/plain") === true && data.types.includes("text/html");
}

/** Browsers call each pasted picture `image.png`. */
function named(file: File): File {
  return file.name === "image.png" ? new File([file], "Pasted picture.png", { type: file.type }) : file;
}
