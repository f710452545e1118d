'use strict';
// Puts the charts beside their tables. Without it the tables are all there.
(() => {
  const kShownAtFirst = 16; // lines of one chart: more are listed and can be switched on

  const element = (name, className, text) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text) made.textContent = text;
    return made;
  };

  const swatch = (dataset) => {
    const space = 'http://www.w3.org/2000/svg';
    const svg = document.createElementNS(space, 'svg');
    const stroke = document.createElementNS(space, 'line');
    const colour = dataset.stack ? dataset.backgroundColor : dataset.borderColor;
    const set = (node, values) => Object.entries(values).forEach(([key, value]) => node.setAttribute(key, value));
    set(svg, { width: 26, height: 12, 'aria-hidden': 'true' });
    set(stroke, { x1: 0, x2: 26, y1: 6, y2: 6, stroke: colour, 'stroke-width': dataset.stack ? 10 : 3,
      'stroke-dasharray': (dataset.borderDash || []).join(' ') });
    svg.append(stroke);
    return svg;
  };

  class Drawing {
    constructor(plan, where, single) {
      this.plan = plan;
      this.figure = element('figure');
      this.figure.append(element('figcaption', single ? 'sr' : '', plan.title));
      this.box = element('div', plan.tall ? 'canvas tall' : 'canvas');
      if (plan.height) this.box.style.height = `${plan.height}px`;
      this.legend = element('fieldset', 'legend');
      this.canvas = element('canvas');
      this.canvas.setAttribute('role', 'img');
      this.canvas.setAttribute('aria-label', `Chart: ${plan.title} (${where}). The figures are in the table below.`);
      this.box.append(this.canvas);
      this.figure.append(this.box);
      if (plan.hint) this.figure.append(element('p', 'hint', plan.hint));
      this.off = null;
    }

    draw() {
      const look = sthdCharts.theme();
      const config = this.plan.config(look);
      const { options } = config;
      options.plugins.legend = { display: false };
      config.options = { animation: false, responsive: true, maintainAspectRatio: false,
        devicePixelRatio: Math.max(2, window.devicePixelRatio || 1),
        interaction: { mode: 'nearest', axis: 'x', intersect: false }, ...options };
      const { datasets } = config.data;
      this.off = this.off || new Set(datasets.map((_, i) => i).filter((i) => i >= kShownAtFirst));
      datasets.forEach((dataset, i) => { dataset.hidden = this.off.has(i); });
      if (this.chart) this.chart.destroy();
      this.chart = new Chart(this.canvas, config);
      if (this.plan.legend !== false && datasets.length > 1) this.list(datasets);
    }

    list(datasets) {
      this.legend.replaceChildren(element('legend', 'sr', `Lines of the chart: ${this.plan.title}`));
      datasets.forEach((dataset, i) => this.legend.append(this.entry(dataset, i)));
      this.box.after(this.legend);
    }

    entry(dataset, i) {
      const label = element('label', this.off.has(i) ? 'off' : '');
      const box = element('input');
      box.type = 'checkbox';
      box.checked = !this.off.has(i);
      box.addEventListener('change', () => {
        if (box.checked) this.off.delete(i); else this.off.add(i);
        label.className = box.checked ? '' : 'off';
        this.chart.setDatasetVisibility(i, box.checked);
        this.chart.update();
      });
      label.append(box, swatch(dataset), element('span', '', dataset.label));
      return label;
    }
  }

  const drawings = [];
  const hints = new Set(); // each is given once
  for (const plot of document.querySelectorAll('.plot')) {
    const where = plot.querySelector('h3').textContent;
    const charts = element('div', 'charts');
    const plans = sthdCharts.kinds[plot.dataset.chart]([...plot.querySelectorAll('table')]);
    for (const plan of plans) {
      if (hints.has(plan.hint)) delete plan.hint;
      hints.add(plan.hint);
      const drawing = new Drawing(plan, where, plans.length === 1);
      drawings.push(drawing);
      charts.append(drawing.figure);
    }
    plot.querySelector('h3').after(charts);
  }

  // A chart is drawn when it comes into view, and all of them before printing.
  const ofFigure = new Map(drawings.map((drawing) => [drawing.figure, drawing]));
  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries.filter((each) => each.isIntersecting)) {
      ofFigure.get(entry.target).draw();
      watcher.unobserve(entry.target);
    }
  }, { rootMargin: '400px' });
  drawings.forEach((drawing) => watcher.observe(drawing.figure));

  const redraw = (all) => drawings.filter((drawing) => all || drawing.chart).forEach((drawing) => drawing.draw());
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => redraw(false));
  window.addEventListener('beforeprint', () => {
    document.documentElement.classList.add('paper');
    redraw(true);
  });
  window.addEventListener('afterprint', () => {
    document.documentElement.classList.remove('paper');
    redraw(false);
  });

  const record = document.getElementById('record');
  if (record) {
    const save = element('button', '', 'Save it as JSON');
    save.type = 'button';
    save.addEventListener('click', () => {
      const link = element('a');
      link.href = URL.createObjectURL(new Blob([record.textContent.trimStart()], { type: 'application/json' }));
      link.download = 'speedtest-hd.json';
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
    document.getElementById('record-note').append(' ', save);
  }
})();
