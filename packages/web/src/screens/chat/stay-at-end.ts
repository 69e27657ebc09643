/**
 * Keeps a scrolling frame at its end while its content grows, until the person scrolls up. Only the person can end it:
 * rows measured late also change the scroll position, so the position alone does not show intent.
 */
import { type RefObject, useCallback, useEffect, useRef, useState } from "react";

const NEAR_END_PX = 120;

interface StayAtEnd {
  readonly atEnd: boolean;
  /** Goes to the end and stays there. */
  readonly toEnd: () => void;
}

export function useStayAtEnd(frame: RefObject<HTMLElement | null>): StayAtEnd {
  const [atEnd, setAtEnd] = useState(true);
  const stays = useRef(true);
  const toEnd = useCallback(() => {
    stays.current = true;
    setAtEnd(true);
    const element = frame.current;
    if (element) element.scrollTop = element.scrollHeight;
  }, [frame]);

  useEffect(() => {
    const element = frame.current;
    const content = element?.firstElementChild;
    if (!element || !content) return;
    const person = watchPerson(element);
    const isNear = () => element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX;
    const stay = () => {
      if (stays.current) element.scrollTop = element.scrollHeight;
      setAtEnd(stays.current || isNear());
    };
    const scrolled = () => {
      if (isNear()) stays.current = true;
      else if (person.acts()) stays.current = false;
      stay();
    };
    const watcher = new ResizeObserver(stay);
    watcher.observe(content);
    watcher.observe(element);
    element.addEventListener("scroll", scrolled, { passive: true });
    stay();
    return () => {
      person.stop();
      watcher.disconnect();
      element.removeEventListener("scroll", scrolled);
    };
  }, [frame]);

  return { atEnd, toEnd };
}

const INPUTS = ["wheel", "touchmove", "pointerdown", "keydown"] as const;
const ACTS_FOR_MS = 1_000; // a turn of the wheel continues scrolling for a while

/** Whether a person scrolls just now: by wheel, finger, key, or with the scroll bar held. */
function watchPerson(element: HTMLElement): { acts: () => boolean; stop: () => void } {
  const listening = new AbortController();
  const options = { passive: true, signal: listening.signal };
  let last = Number.NEGATIVE_INFINITY;
  let held = false;
  for (const name of INPUTS)
    element.addEventListener(
      name,
      () => {
        last = performance.now();
        held ||= name === "pointerdown";
      },
      options,
    );
  window.addEventListener(
    "pointerup",
    () => {
      held = false;
    },
    options,
  );
  return {
    acts: () => held || performance.now() - last < ACTS_FOR_MS,
    stop: () => listening.abort(),
  };
}
