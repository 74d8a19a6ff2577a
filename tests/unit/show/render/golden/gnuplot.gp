# gnuplot -p THIS-FILE; columns: x, median, low, high; of a matrix: from, then a median a to
set termoption noenhanced
set title "Load latency by working-set size (pages huge2m, order random)" noenhanced
$data1 << EOD
1024 1.6700282 1.6683974 1.6716591
2048 1.6702261 1.668595 1.6718571
4096 1.6718076 1.670175 1.6734402
8192 1.6844116 1.6827668 1.6860566
16384 1.782234 1.7804935 1.7839744
32768 2.4106462 2.408292 2.4130003
65536 4.138233 4.134192 4.1422744
131072 5.159018 5.15398 5.1640563
262144 5.3930902 5.3878236 5.398357
524288 5.776123 5.7704825 5.781764
1048576 8.399143 8.390941 8.407346
2097152 20.462713 20.44273 20.482697
4194304 35.423855 34.316856 36.53085
8388608 39.728695 38.48717 40.970215
16777216 40.801384 39.526344 42.076427
33554432 44.349575 42.96365 45.735497
67108864 64.107925 62.104553 66.1113
134217728 102.605354 99.39894 105.811775
268435456 118.42809 114.72721 122.12897
536870912 120.99019 117.20925 124.77113
1073741824 121.32233 117.531006 125.11365
EOD
set xlabel "working set [B]"
set ylabel "latency [ns]"
set logscale x 2
set logscale y
plot $data1 using 1:3:4 with filledcurves fillstyle transparent solid 0.3 title "interval", $data1 using 1:2 with linespoints title "median"
set title "CAS hand-off between CPUs (op cas)" noenhanced
$data2 << EOD
0 0 NaN 0 0
1 0 21.4 1 0
2 0 142.8 2 0
0 1 24.9 0 1
1 1 NaN 1 1
2 1 140 2 1
0 2 142.1 0 2
1 2 143.5 1 2
2 2 NaN 2 2
EOD
set xlabel "to"
set ylabel "from"
unset logscale
set yrange [] reverse
plot $data2 using 1:2:3:xticlabels(4):yticlabels(5) with image notitle
set yrange [] noreverse
