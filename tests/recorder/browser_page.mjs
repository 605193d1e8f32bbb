// browser_page.mjs CHROMIUM RECORDER [FOLDER [RUN.jsonl]]: draws runs with RECORDER --draw, opens their pages in a
// headless Chromium, and uses them as a person would. Writes screenshots to FOLDER, of RUN.jsonl if it is given.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { Browser } from "./browser.mjs";
import { hostileTexts, recordedRun } from "./browser_runs.mjs";

const [chromium, recorder, shots, given] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "noun-pages-"));

/** The page of a run. */
function drawn(name, lines) {
  const run = join(folder, `${name}.jsonl`);
  const page = join(folder, `${name}.html`);
  if (lines !== undefined) writeFileSync(run, lines);
  execFileSync(recorder, ["--draw", lines === undefined ? resolve(given) : run, page]);
  return page;
}
async function shoot(browser, name, isWhole = false) {
  if (shots) await browser.shoot(join(shots, `${name}.png`), isWhole);
}
async function find(browser, words) {
  await browser.run(`(() => { const query = document.getElementById("query"); query.value = ${JSON.stringify(words)};
    query.dispatchEvent(new Event("input")); return new Promise((done) => setTimeout(done, 200)); })()`);
  await browser.drawn();
  return browser.text("hits");
}

const failed = [];
function check(what, holds, found) {
  if (!holds) failed.push(`${what}: ${JSON.stringify(found)}`);
}

async function checkLook(browser, page, width, height, theme) {
  const name = `${theme} at ${width}`;
  await browser.open(page, width, height, theme);
  check(`${name}: its colors`, (await browser.run("document.documentElement.dataset.theme")) === theme, theme);
  const wide = await browser.run("document.documentElement.scrollWidth");
  check(`${name}: no wider than the window`, wide <= width, wide);
  const colors = await browser.run(`(() => { const canvas = document.getElementById("lanes");
    const bytes = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    return new Set(bytes).size; })()`);
  check(`${name}: calls are drawn`, colors > (page.endsWith("empty.html") ? 0 : 3), colors);
  const contrast = await browser.run(`(${lowestContrast})()`);
  check(`${name}: contrast of texts`, contrast.ratio >= 4.5, contrast);
  await shoot(browser, `${basename(page, ".html")}_${theme}_${width}`, width < 500);
}

/** Runs in the page: the text whose color has the least contrast with what is behind it. */
function lowestContrast() {
  const rgb = (words) => words.match(/[\d.]+/g).map(Number);
  const light = (color) =>
    color
      .slice(0, 3)
      .map((each) => each / 255)
      .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4))
      .reduce((sum, each, i) => sum + each * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const color = rgb(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };
  let lowest = { ratio: 21, text: "" };
  for (const node of document.querySelectorAll("body *")) {
    const text = [...node.childNodes]
      .filter((child) => child.nodeType === 3)
      .map((child) => child.data.trim())
      .join("");
    if (text === "" || node.tagName === "SCRIPT" || node.disabled || !node.checkVisibility()) continue;
    const [one, other] = [light(rgb(getComputedStyle(node).color)), light(behind(node))];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (ratio < lowest.ratio) lowest = { ratio, text };
  }
  return lowest;
}

async function checkUse(browser, page) {
  await browser.open(page, 1600, 1000, "light");
  const whole = await browser.text("range");
  const lanes = await browser.run("document.getElementById('lanes').getBoundingClientRect().toJSON()");
  const middle = { x: lanes.left + lanes.width / 2, y: lanes.top + 8 };
  await browser.send("Input.dispatchMouseEvent", { type: "mouseWheel", ...middle, deltaX: 0, deltaY: -240 });
  await browser.drawn();
  const zoomed = await browser.text("range");
  check("the wheel zooms", zoomed !== whole, zoomed);
  await browser.run("document.getElementById('whole').click()");
  await browser.drawn();
  check("a button shows the whole run", (await browser.text("range")) === whole, await browser.text("range"));
  await browser.run("document.getElementById('closer').click()");
  await browser.drawn();
  check("a button zooms", (await browser.text("range")) !== whole, whole);
  await browser.run("document.getElementById('lanes').focus()");
  await browser.press("0");
  check("a key shows the whole run", (await browser.text("range")) === whole, await browser.text("range"));
  await browser.press("+");
  check("a key zooms", (await browser.text("range")) !== whole, whole);

  await browser.press("n");
  const detail = await browser.text("detail");
  check("a selected call shows its steps", /steps?.*(sent, attempt 1|from the cache|waits)/s.test(detail), detail);
  const before = await browser.text("range");
  await browser.press("Enter");
  check("Enter zooms to the selected call", (await browser.text("range")) !== before, before);
  await shoot(browser, "run_call");
  await browser.press("Escape");
  check("Escape deselects", (await browser.text("detail")).includes("Select a call"), await browser.text("detail"));
  await browser.press("0");
  let found = "";
  for (let x = lanes.left + 1; x < lanes.left + lanes.width && !found.startsWith("Call "); x += 4) {
    await browser.click(x, middle.y);
    found = await browser.text("detail");
  }
  check("a click selects a call", found.startsWith("Call "), found);

  const total = await browser.text("hits");
  check("without a search all calls are counted", /^[\d,]+ calls?$/.test(total), total);
  const none = await find(browser, "no such text");
  check("a search without a hit", none === `0 of ${total}`, none);
  const all = await find(browser, "get");
  check("a search by the method", all === `${total.replace(/ calls?$/, "")} of ${total}`, all);
  const some = await find(browser, "2xx page=2");
  check("a search by status and URL", !some.startsWith("0 of") && some !== all, some);
  await browser.run("document.getElementById('next').click()");
  await browser.drawn();
  check("a hit is selected", (await browser.text("detail")).includes("page=2"), await browser.text("detail"));
  await shoot(browser, "run_found");
  await browser.run("document.getElementById('theme').click()");
  check("the switch changes the colors", (await browser.run("document.documentElement.dataset.theme")) === "dark", "");
}

async function checkHostile(browser, page) {
  await browser.open(page, 1600, 1000, "light");
  const alien = await browser.run("document.querySelectorAll('img, svg, iframe, link, a, [onerror], [onload]').length");
  check("texts are no markup", alien === 0, alien);
  const scripts = await browser.run("document.scripts.length");
  check("texts are no scripts", scripts === 2, scripts);
  await browser.run("document.getElementById('lanes').focus()");
  await browser.press("n");
  const shown = `${await browser.text("detail")}${await browser.text("notices")}`;
  for (const text of hostileTexts) {
    const visible = text.replace(/[\u2028\u202e]/g, (mark) => "\\u" + mark.charCodeAt(0).toString(16));
    check(`is shown as it is: ${visible}`, shown.includes(visible), shown);
  }
  const injected = await browser.run(
    "(() => { const script = document.createElement('script'); script.textContent = " +
      "'window.ran = true'; document.body.append(script); return window.ran === true; })()",
  );
  check("the policy refuses another script", !injected, injected);
  browser.logged.splice(
    0,
    browser.logged.length,
    ...browser.logged.filter((line) => !line.includes("Content Security Policy")),
  );
}

async function checkLarge(browser, page) {
  const milliseconds = await browser.open(page, 1600, 1000, "light");
  const started = Date.now();
  for (let i = 0; i < 20; ++i) {
    await browser.run("document.getElementById('closer').click()");
    await browser.drawn();
  }
  console.log(`100,000 events: drawn after ${milliseconds} ms, then a zoom in ${(Date.now() - started) / 20} ms`);
  const found = await find(browser, "429");
  check("a search in many calls", /^[1-9][\d,]{2,} of 3\d,\d+ calls$/.test(found), found);
}

const browser = new Browser(chromium);
try {
  await browser.start();
  const page = drawn("run", given ? undefined : recordedRun(400));
  for (const theme of ["light", "dark"])
    for (const [width, height] of [
      [400, 800],
      [1600, 1000],
    ])
      await checkLook(browser, page, width, height, theme);
  await checkUse(browser, page);
  await checkHostile(browser, drawn("hostile", recordedRun(1, hostileTexts)));
  await checkLarge(browser, drawn("large", recordedRun(33000)));
  await checkLook(browser, drawn("empty", ""), 400, 800, "dark");
  check("nothing is logged", browser.logged.length === 0, browser.logged);
  check(
    "nothing else is loaded",
    browser.loaded.every((url) => url.startsWith("file:")),
    browser.loaded,
  );
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
for (const each of failed) console.error(each);
process.exitCode = failed.length > 0 ? 1 : 0;
