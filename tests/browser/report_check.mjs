// Opens html reports in headless Chromium, at 1280 and 400 px, light and dark, and printed: no console message, no
// request, no serious fault that axe-core knows, nothing wider than the page, a policy that refuses other scripts and
// all requests, less than 1 MiB. Screenshots and prints go to OUT.
//
//   npm install --no-save puppeteer-core axe-core     (in a folder of your own; start the check there)
//   node /path/to/report_check.mjs OUT report.html...
//
// Exit code 77 where Chromium or these modules are missing.
import { createRequire } from 'node:module';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const NOT_RUN = 77;
const MOST_BYTES = 1 << 20;
const [out, ...reports] = process.argv.slice(2);
if (!reports.length) {
  console.error('usage: report_check.mjs OUT report.html...');
  process.exit(2);
}
const chromium = process.env.CHROMIUM || '/usr/bin/chromium';
let puppeteer;
let axe;
try {
  const require = createRequire(join(process.cwd(), 'x.js'));
  const found = await import(pathToFileURL(require.resolve('puppeteer-core')));
  puppeteer = found.default.launch ? found.default : found;
  axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
} catch (error) {
  console.log(`not run: ${error.message.split('\n')[0]}`);
  process.exit(NOT_RUN);
}
if (!existsSync(chromium)) {
  console.log(`not run: ${chromium} is missing; name it with CHROMIUM=`);
  process.exit(NOT_RUN);
}

const faults = [];

async function scrollThrough(page) {
  await page.evaluate(async () => {
    for (let y = 0; y < document.body.scrollHeight; y += 300) {
      window.scrollTo(0, y);
      await new Promise((done) => setTimeout(done, 40));
    }
    window.scrollTo(0, 0);
  });
}

function listen(page, say) {
  page.on('console', (message) => say(`console: ${message.text()}`));
  page.on('pageerror', (error) => say(`error: ${error.message}`));
  page.on('request', (request) => {
    const own = request.isNavigationRequest() && request.frame() === page.mainFrame();
    if (!own || !request.url().startsWith('file:')) say(`request: ${request.url()}`);
  });
}

const settled = (page) => page.evaluate(() => new Promise((done) => {
  requestAnimationFrame(() => requestAnimationFrame(done));
}));

const tooWide = (page) => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

// What hostile data would try in a report, were it ever taken for markup. Each refusal is a console message, so this
// comes last.
async function looseEnds(page) {
  page.removeAllListeners('console');
  page.removeAllListeners('request');
  return page.evaluate(async () => {
    const refused = new Set();
    document.addEventListener('securitypolicyviolation', (event) => refused.add(event.effectiveDirective));
    const add = (name, values) => document.body.append(Object.assign(document.createElement(name), values));
    add('script', { textContent: 'window.ranInline = true;' });
    document.body.setAttribute('onclick', 'window.ranHandler = true;');
    document.body.click();
    add('script', { src: 'https://report.invalid/x.js' });
    add('img', { src: 'https://report.invalid/x.png' });
    add('link', { rel: 'stylesheet', href: 'https://report.invalid/x.css' });
    add('iframe', { src: 'https://report.invalid/' });
    await fetch('https://report.invalid/').catch(() => {});
    await new Promise((done) => setTimeout(done, 200));
    const wanted = ['script-src-elem', 'script-src-attr', 'img-src', 'style-src-elem', 'frame-src', 'connect-src'];
    const ran = ['ranInline', 'ranHandler'].filter((each) => window[each]);
    return [...wanted.filter((each) => !refused.has(each)), ...ran];
  });
}

async function look(browser, file, width, scheme) {
  const page = await browser.newPage();
  const name = `${basename(file, '.html')}-${width}-${scheme}`;
  const say = (what) => faults.push(`${name}: ${what}`);
  listen(page, say);
  await page.setViewport({ width, height: 900 });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  await page.goto(pathToFileURL(resolve(file)).href);
  await scrollThrough(page);
  await settled(page);
  const wide = await tooWide(page);
  if (wide > 0) say(`is ${wide} px wider than the window`);
  await page.screenshot({ path: join(out, `${name}.png`), fullPage: true });
  const seen = await page.evaluate(() => ({
    plots: document.querySelectorAll('.plot').length,
    figures: document.querySelectorAll('figure').length,
    blank: [...document.querySelectorAll('canvas')].filter((canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return !data.some((byte) => byte !== 0);
    }).length,
  }));
  if (seen.figures < seen.plots) say(`${seen.plots} plots, but only ${seen.figures} charts`);
  if (seen.blank) say(`${seen.blank} charts are blank`);
  await page.evaluate(() => document.querySelectorAll('details').forEach((each) => { each.open = true; }));
  const wideOpen = await tooWide(page);
  if (wideOpen > wide) say(`is ${wideOpen} px wider than the window with all details open`);
  await page.evaluate(axe); // by the debugger: the page's own policy stays as it is
  const { violations } = await page.evaluate(() => window.axe.run());
  for (const { id, impact, nodes } of violations) {
    const text = `axe ${impact}: ${id}, ${nodes.length} times, first ${nodes[0].html.slice(0, 150)}`;
    if (impact === 'serious' || impact === 'critical') say(text); else console.log(`${name}: ${text}`);
  }
  const loose = await looseEnds(page);
  if (loose.length) say(`its policy does not refuse: ${loose.join(', ')}`);
  await page.close();
}

async function print(browser, file) {
  const page = await browser.newPage();
  listen(page, (what) => faults.push(`${basename(file, '.html')}, printed: ${what}`));
  await page.goto(pathToFileURL(resolve(file)).href);
  await page.pdf({ path: join(out, `${basename(file, '.html')}.pdf`), format: 'A4' });
  await page.close();
}

mkdirSync(out, { recursive: true });
const browser = await puppeteer.launch({
  executablePath: chromium, args: ['--no-sandbox', '--disable-dev-shm-usage'],
});
for (const file of reports) {
  const { size } = statSync(file);
  console.log(`${basename(file)}: ${size} bytes`);
  if (size >= MOST_BYTES) faults.push(`${basename(file)}: ${size} bytes are too many`);
  for (const width of [1280, 400]) {
    for (const scheme of ['light', 'dark']) await look(browser, file, width, scheme);
  }
  await print(browser, file);
}
await browser.close();
faults.forEach((fault) => console.error(fault));
console.log(`${reports.length} reports, ${faults.length} faults`);
process.exit(faults.length ? 1 : 0);
