/**
 * Keeps a scrolling frame at its end while its content grows, until the person scrolls up. Only the person can end it:
 * rows that are measured late also move the scroll position, so a position alone says nothing about what is wanted.
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
    let lastTop = element.scrollTop;
    let lastHeight = element.scrollHeight;
    const isNear = () => element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX;
    const scrolled = () => {
      const { scrollTop, scrollHeight } = element;
      // Content that shrank moves the position too; going up in content of the same height is the person's doing.
      const wentUp = scrollTop < lastTop - 1 && scrollHeight >= lastHeight;
      lastTop = scrollTop;
      lastHeight = scrollHeight;
      if (isNear()) stays.current = true;
      else if (wentUp) stays.current = false;
      setAtEnd(stays.current);
    };
    const resized = () => {
      if (stays.current) element.scrollTop = element.scrollHeight;
      lastTop = element.scrollTop;
      lastHeight = element.scrollHeight;
      setAtEnd(stays.current || isNear());
    };
    const watcher = new ResizeObserver(resized);
    watcher.observe(content);
    watcher.observe(element);
    element.addEventListener("scroll", scrolled, { passive: true });
    resized();
    return () => {
      watcher.disconnect();
      element.removeEventListener("scroll", scrolled);
    };
  }, [frame]);

  return { atEnd, toEnd };
}
