# SPDX-License-Identifier: MIT
"""Applications of suite `programs` that draw with OpenGL 3.0 or OpenGL ES 3.0, beside those of ./run: toolkits of
today, a planetarium, a game engine, a player. None is in a package group: they are run where they are installed, and
skipped with the reason elsewhere."""

QUICK = """import QtQuick
Rectangle { width: 320; height: 240; color: "steelblue"
   Rectangle { x: 40; y: 40; width: 120; height: 120; radius: 20; color: "orange"; antialiasing: true
      NumberAnimation on rotation { from: 20; to: 380; duration: 9000; loops: Animation.Infinite } }
   Text { x: 180; y: 40; text: "clipfree"; font.pixelSize: 30; color: "white" } }
"""

QUICK3D = """import QtQuick
import QtQuick3D
Item { width: 480; height: 360
   View3D { anchors.fill: parent
      environment: SceneEnvironment { clearColor: "#203040"; backgroundMode: SceneEnvironment.Color }
      PerspectiveCamera { position: Qt.vector3d(0, 200, 500); eulerRotation.x: -20 }
      DirectionalLight { eulerRotation: Qt.vector3d(-50, 40, 0); castsShadow: true }
      Model { source: "#Sphere"; x: -110; y: 50
         materials: PrincipledMaterial { baseColor: "orange"; metalness: 0.3; roughness: 0.3 } }
      Model { source: "#Cube"; x: 110; y: 50
         materials: PrincipledMaterial { baseColor: "steelblue"; roughness: 0.6 }
         NumberAnimation on eulerRotation.y { from: 30; to: 390; duration: 9000; loops: Animation.Infinite } }
      Model { source: "#Rectangle"; eulerRotation.x: -90; scale: Qt.vector3d(8, 8, 1)
         materials: PrincipledMaterial { baseColor: "#909090" } } }
   Text { x: 10; y: 10; text: "clipfree"; color: "white"; font.pixelSize: 24 } }
"""

FILES = {'quick.qml': QUICK, 'quick3d.qml': QUICK3D}

QML = '/usr/lib/qt6/bin/qmlscene'
# Recorded with OpenGL 3.0, as on clipfree: with OpenGL ES GTK asks for 2.0, and takes it for 3.0.
GTK = {'GDK_BACKEND': 'x11', 'GSK_RENDERER': 'gl', 'GDK_DEBUG': 'gl-legacy'}
# CLIPFREE_FRAMES calls exit() on the thread that shows the last frame. That has to be Qt's main thread, or it uses
# Qt's objects while exit() destroys them.
QT = {'QSG_RENDER_LOOP': 'basic'}
# These and godot's GLES3 want OpenGL 3.3; recordings see 3.0 (DRIVER_GL in harness/traces.py).
OPENGL_33 = {'MESA_GL_VERSION_OVERRIDE': '3.3', 'MESA_GLSL_VERSION_OVERRIDE': '330'}

# It loads for 30 frames, and then races. Only the loading is compared with the reference: recorded on llvmpipe, the first
# frame of a race was not there after five minutes. A frame of the race is compared by engine and path. --apitrace:
# without buffers that stay mapped, which a recording has not.
STK = ['/usr/games/supertuxkart', '--apitrace', '--windowed', '--screensize=480x360', '--race-now',
       '--track=lighthouse', '--numkarts=2']

# One night, whatever the day. The scale: at 1.0 Qt's lines of one pixel lie between two pixels, where the last bits
# of a vertex decide which of them they get (OpenGL 2.1, 3.5.1).
STELLARIUM = ['stellarium', '--full-screen', 'no', '--scale-gui', '1.1', '--sky-date', '20260115', '--sky-time', '20:00:00', '--landscape',
              'guereins', '--longitude', '+4d30\'0"', '--latitude', '+46d0\'0"']

# {name: what Application of ./run is made of}. What mpv uploads with OpenGL ES is not in a recording of apitrace's, but
# its first picture stays on a screen.
APPLICATIONS = {
   'gtk4 widgets': {'command': ['gtk4-widget-factory'], 'frames': 4, 'env': GTK},
   'gtk4 transitions': {'command': ['gtk4-demo', '--run=gltransition'], 'frames': 5, 'env': GTK},
   'gtk4 fishbowl': {'command': ['gtk4-demo', '--run=fishbowl'], 'frames': 5, 'env': GTK},
   'qt6 quick': {'command': [QML, 'FOLDER/quick.qml'], 'frames': 3, 'env': QT},
   'qt6 quick3d': {'command': [QML, 'FOLDER/quick3d.qml'], 'frames': 3, 'env': QT},
   'stellarium': {'command': STELLARIUM, 'frames': 8, 'run_s': 60},
   'mpv opengl es': {'command': ['mpv', '--no-config', '--vo=gpu', '--gpu-context=x11egl', '--opengl-es=yes',
                                 '--ao=null', '--pause', '--osd-level=0', '--no-osc',
                                 'av://lavfi:testsrc=size=320x240:rate=10'],
                     'frames': 1, 'recorded': False, 'screen_px': (320, 240)},
   'godot gles3': {'command': ['godot3', '--path', 'FOLDER', '--script', 'scene.gd', '--video-driver', 'GLES3',
                               '--audio-driver', 'Dummy', '--resolution', '400x300'],
                   'frames': 0, 'still': True, 'renderer': 'llvmpipe', 'env': OPENGL_33, 'run_s': 60},
   'supertuxkart loads': {'command': STK, 'frames': 20, 'env': OPENGL_33, 'run_s': 100},
   'supertuxkart races': {'command': STK, 'frames': 45, 'recorded': False, 'limit_s': 200},
}
