import { type ReactNode, useEffect, useRef } from "react";

interface DrawerProps {
  side: "left" | "right";
  label: string;
  open: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** A panel over the page, for narrow windows. The dialog element traps the focus and closes on Escape. */
export function Drawer({ side, label, open, onClose, children }: DrawerProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click beside the panel closes it; the dialog itself handles Escape
    <dialog
      ref={dialog}
      className={`drawer drawer-${side}`}
      aria-label={label}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      {open && children}
    </dialog>
  );
}
