import { useRef } from "react";
import { kindOf, sizeOf } from "./file-words.ts";
import type { Picked, Tray } from "./use-tray.ts";

interface TrayViewProps {
  tray: Tray;
  /** Called when the last button in the tray has disappeared; moves the focus to the text field. */
  onEmpty: () => void;
}

/** Shows the files of the message that is being written, and those that were refused. */
export function TrayView({ tray, onEmpty }: TrayViewProps) {
  const box = useRef<HTMLDivElement>(null);
  const { files, refused } = tray;
  const remove = (key: string): void => {
    const buttons = [...(box.current?.querySelectorAll("button") ?? [])];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const next = buttons[at + 1] ?? buttons[at - 1];
    tray.remove(key);
    if (next === undefined) onEmpty();
    else next.focus();
  };
  return (
    <div className="tray" ref={box}>
      {files.length > 0 && (
        <ul className="tray-files" aria-label="Files of your message">
          {files.map((picked) => (
            <TrayFile key={picked.key} picked={picked} onRemove={() => remove(picked.key)} />
          ))}
        </ul>
      )}
      <span className="unseen" role="status">
        {files.length > 0 && `${files.length === 1 ? "One file" : `${files.length} files`} added.`}
      </span>
      {/* Exists before it has a text, so that screen readers announce the text. */}
      <div role="alert">
        {refused.map(({ key, name, why }) => (
          <p key={key} className="tray-refused" data-testid="file-refused">
            <span>
              {/* Of several files, the server's reason names the one that it refused. */}
              <strong>{name}</strong> is not added. {why.replace(`${name}: `, "")}
            </span>
            <RemoveButton label={`Dismiss the note on ${name}`} onClick={() => remove(key)} />
          </p>
        ))}
      </div>
    </div>
  );
}

function TrayFile({ picked: { file, picture }, onRemove }: { picked: Picked; onRemove: () => void }) {
  return (
    <li className="tray-file" data-testid="tray-file">
      {picture === undefined ? (
        <span className="file-badge" aria-hidden="true">
          {kindOf(file.type, file.name)}
        </span>
      ) : (
        <img src={picture.url} alt="" width={44} height={44} />
      )}
      <span className="tray-words">
        <span className="tray-name">{file.name}</span>
        <span className="tray-size">{sizeOf(file.size)}</span>
      </span>
      <RemoveButton label={`Remove ${file.name}`} onClick={onRemove} />
    </li>
  );
}

function RemoveButton({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <button type="button" className="tray-remove" aria-label={label} onClick={onClick}>
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d="M7 7l10 10M17 7 7 17" />
      </svg>
    </button>
  );
}
