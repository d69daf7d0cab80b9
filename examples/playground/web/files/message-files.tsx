import type { ViewMessage } from "@pawl/core/view";
import { useContext } from "react";
import { kindOf, nameOf, sizeOf } from "./file-words.ts";
import { Picture } from "./picture.tsx";
import { type FilePart, SendingContext } from "./sending-files.ts";

/** Shows the files of a user's message: pictures, and links to other files. */
export function MessageFiles({ message: { parts, seq } }: { message: ViewMessage }) {
  const files = parts.filter((part) => part.type === "file");
  if (files.length === 0) return null;
  return (
    <div className="message-files">
      {files.map((part, at) =>
        part.mediaType.startsWith("image/") ? (
          <Picture key={part.key} part={part} at={at} sent={seq > 0} />
        ) : (
          <FileLink key={part.key} part={part} />
        ),
      )}
      {seq === 0 && <Uploading />}
    </div>
  );
}

function FileLink({ part }: { part: FilePart }) {
  const { url, bytes, pages, mediaType } = part;
  const name = nameOf(part);
  const content = (
    <>
      <span className="file-badge" aria-hidden="true">
        {kindOf(mediaType, name)}
      </span>
      <span className="tray-words">
        <span className="tray-name">{name}</span>
        <span className="tray-size">
          {sizeOf(bytes)}
          {pages !== undefined && ` · ${pages === 1 ? "1 page" : `${pages} pages`}`}
        </span>
      </span>
    </>
  );
  // A file that is being uploaded has no address yet.
  return url === undefined ? (
    <span className="file-link" data-testid="message-file">
      {content}
    </span>
  ) : (
    <a className="file-link" href={url} download={name} data-testid="message-file">
      {content}
    </a>
  );
}

function Uploading() {
  const sending = useContext(SendingContext);
  const total = sending?.files.length ?? 0;
  if (sending === undefined || sending.uploaded === total) return null;
  return (
    <p className="uploading" role="status" data-testid="uploading">
      <span>Sending {total === 1 ? "the file" : `file ${sending.uploaded + 1} of ${total}`}…</span>
      <progress max={total} value={sending.uploaded} aria-label="Uploaded files" />
    </p>
  );
}
