import { type ReactNode, useEffect, useId, useRef } from "react";
import { useTranslations } from "use-intl";
import { Button } from "./Button";
import styles from "./Dialog.module.css";

/** A dialog over the page: the browser keeps the focus in it, Esc and a click beside it close it. */
export function Dialog({
  title,
  open,
  onClose,
  children,
  actions,
}: {
  title: string;
  open: boolean;
  onClose: () => void;
  children: ReactNode;
  actions?: ReactNode;
}) {
  const words = useTranslations("parts");
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    if (!element) return;
    if (open && !element.open) {
      element.showModal();
      element.querySelector<HTMLElement>("input:not([type=checkbox], [type=radio]), textarea, select")?.focus();
    }
    if (!open && element.open) element.close();
  }, [open]);
  return (
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
      onKeyDown={(event) => event.key === "Escape" && event.stopPropagation()}
    >
      {open && (
        <div className={styles.inside}>
          <div className="row">
            <h2 id={id}>{title}</h2>
            <Button look="bare" icon="close" label={words("close")} className="push" onClick={onClose} />
          </div>
          {children}
          {actions && <div className={styles.actions}>{actions}</div>}
        </div>
      )}
    </dialog>
  );
}
