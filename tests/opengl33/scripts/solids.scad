// SPDX-License-Identifier: MIT
// For OpenSCAD: differences and intersections, in colours and translucent.
$fn = 32;
difference() {
   color("orange") cube([20, 20, 12]);
   color("steelblue") translate([20, 0, 12]) sphere(8);
   color("seagreen") translate([8, 10, -5]) cylinder(r = 4, h = 30);
}
translate([-16, 0, 0]) intersection() {
   color("tomato") sphere(10);
   color("gold") cube(15, center = true);
}
color("royalblue", 0.5) translate([8, 10, 16]) rotate_extrude() translate([6, 0]) circle(2);
