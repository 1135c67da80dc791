import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from "react";
import styles from "./Toast.module.css";

const STAYS = 4000;
const Toasting = createContext<(text: string) => void>(() => {});

/** Says something in passing, at the bottom of the page; never the only place where it is said. */
export function useToast(): (text: string) => void {
  return useContext(Toasting);
}

export function Toasts({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<readonly { id: number; text: string }[]>([]);
  const last = useRef(0);
  const say = useCallback((text: string) => {
    last.current += 1;
    const id = last.current;
    setShown((before) => [...before.slice(-2), { id, text }]);
    setTimeout(() => setShown((before) => before.filter((one) => one.id !== id)), STAYS);
  }, []);
  return (
    <Toasting value={say}>
      {children}
      <div className={styles.toasts} role="status" aria-live="polite">
        {shown.map(({ id, text }) => (
          <div key={id} className={styles.toast}>
            {text}
          </div>
        ))}
      </div>
    </Toasting>
  );
}
