/**
 * A socket to the site that reconnects by itself: after a lost line, and after one that somebody
 * froze, on which nothing arrives any more.
 */

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 15_000;
const SILENT_MS = 40_000; // the site says every 15 s that the line stands
const CHECK_MS = 5_000;

/**
 * @param {string} path
 * @param {{ opened: () => void, received: (message: any) => void, lost: (again: boolean) => void, restored: () => void }} tell
 *   `lost` is told of each try that failed, `again` after the first
 */
export function connect(path, tell) {
  const address = new URL(path, location.href);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  let delay = FIRST_DELAY_MS;
  let wasLost = false;
  let timer = 0;
  let heardAt = 0;
  /** @type {WebSocket | null} */
  let socket = null;

  function open() {
    const mine = (socket = new WebSocket(address));
    heardAt = Date.now();
    mine.onopen = () => {
      delay = FIRST_DELAY_MS;
      if (wasLost) tell.restored();
      wasLost = false;
      tell.opened();
    };
    mine.onmessage = ({ data }) => {
      heardAt = Date.now();
      const message = JSON.parse(data);
      if (message.type !== "beat") tell.received(message);
    };
    mine.onclose = () => socket === mine && lose();
  }

  function lose() {
    socket = null;
    tell.lost(wasLost);
    wasLost = true;
    timer = setTimeout(open, delay);
    delay = Math.min(2 * delay, LONGEST_DELAY_MS);
  }

  /** A line that somebody froze neither closes nor brings anything. */
  function checkLine() {
    if (socket === null || Date.now() - heardAt < SILENT_MS) return;
    const frozen = socket;
    lose();
    frozen.close();
  }

  open();
  setInterval(checkLine, CHECK_MS);
  addEventListener("online", () => {
    if (socket !== null) return;
    clearTimeout(timer);
    open();
  });
}
