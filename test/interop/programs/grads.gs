* Opens a file, prints what is in it, writes values.
* usage: grads -blcx "run grads.gs VARIABLE FILE VALUES"
function main(args)
  variable = subwrd(args, 1)
  'sdfopen ' subwrd(args, 2)
  say result
  'query file'
  say result
  'query dims'
  say result
  'set gxout fwrite'
  'set fwrite ' subwrd(args, 3)
  t = 1
  while (t <= 3)
    'set t ' t
    'display ' variable
    t = t + 1
  endwhile
  'disable fwrite'
  'set gxout print'
  'set lon 100 120'
  'set lat 0 20'
  'display ave(' variable ', t=1, t=12)'
  say result
  'quit'
