// A headless Chromium, by the DevTools protocol over a pipe.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** A browser with one page. `logged` is what the page logs, `loaded` the URLs that it loads. */
export class Browser {
  constructor(chromium) {
    this.profile = mkdtempSync(join(tmpdir(), "noun-browser-"));
    this.process = spawn(
      chromium,
      [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        "--remote-debugging-pipe",
        `--user-data-dir=${this.profile}`,
      ],
      { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] },
    );
    this.number = 0;
    this.waiting = new Map();
    this.listeners = [];
    let rest = "";
    this.process.stdio[4].setEncoding("utf8").on("data", (text) => {
      const messages = (rest + text).split("\0");
      rest = messages.pop();
      messages.forEach((message) => this.take(JSON.parse(message)));
    });
  }
  take(message) {
    const waiting = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (waiting && message.error) waiting.reject(new Error(message.error.message));
    else if (waiting) waiting.resolve(message.result);
    else this.listeners.forEach((listen) => listen(message));
  }
  send(method, params = {}) {
    const id = ++this.number;
    this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId: this.session }) + "\0");
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }
  event(method) {
    return new Promise((resolve) => {
      const listen = (message) => {
        if (message.method !== method) return;
        this.listeners.splice(this.listeners.indexOf(listen), 1);
        resolve(message.params);
      };
      this.listeners.push(listen);
    });
  }
  async start() {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    this.session = (await this.send("Target.attachToTarget", { targetId, flatten: true })).sessionId;
    this.logged = [];
    this.loaded = [];
    this.listeners.push(({ method, params }) => {
      if (method === "Runtime.exceptionThrown")
        this.logged.push(params.exceptionDetails.exception?.description || params.exceptionDetails.text);
      if (method === "Log.entryAdded") this.logged.push(params.entry.text);
      if (method === "Runtime.consoleAPICalled") this.logged.push(params.args.map((each) => each.value).join(" "));
      if (method === "Network.requestWillBeSent") this.loaded.push(params.request.url);
      if (method === "Page.javascriptDialogOpening") {
        this.logged.push(`dialog: ${params.message}`);
        this.send("Page.handleJavaScriptDialog", { accept: true });
      }
    });
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await this.send(`${domain}.enable`);
  }
  /** The milliseconds until the page was drawn. */
  async open(page, width, height, theme) {
    await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: width < 500 });
    await this.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: theme }] });
    const done = this.event("Page.loadEventFired");
    const started = Date.now();
    await this.send("Page.navigate", { url: pathToFileURL(page).href });
    await done;
    await this.drawn();
    return Date.now() - started;
  }
  async run(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails)
      throw new Error(`${expression}: ${exceptionDetails.exception?.description || exceptionDetails.text}`);
    return result.value;
  }
  /** Two frames: the page draws in the first. */
  drawn() {
    return this.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))");
  }
  text(id) {
    return this.run(`document.getElementById("${id}").textContent`);
  }
  async click(x, y) {
    for (const type of ["mousePressed", "mouseReleased"])
      await this.send("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 });
    await this.drawn();
  }
  async press(key) {
    for (const type of ["keyDown", "keyUp"])
      await this.send("Input.dispatchKeyEvent", {
        type,
        key,
        text: key.length === 1 && type === "keyDown" ? key : undefined,
      });
    await this.drawn();
  }
  /** A picture of the window, or of the page down to 2,400 pixels. */
  async shoot(file, isWhole) {
    const { cssContentSize } = await this.send("Page.getLayoutMetrics");
    const clip = { x: 0, y: 0, width: cssContentSize.width, height: Math.min(cssContentSize.height, 2400), scale: 1 };
    const options = isWhole ? { clip, captureBeyondViewport: true } : {};
    const { data } = await this.send("Page.captureScreenshot", options);
    writeFileSync(file, Buffer.from(data, "base64"));
  }
  async close() {
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    this.session = undefined;
    this.send("Browser.close");
    await ended;
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}
